import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { DataTable } from '@/components/shared/list/data-table'
import type { Cron } from '@/lib/contracts/agents/crons'
import { cronColumns } from './cron-columns'

afterEach(cleanup)

test('crons of one assistant are told apart by what they ask', () => {
  const crons = [
    { input: { messages: [{ role: 'user', content: 'Morning report' }] } },
    { input: { city: 'Porto' } },
    {},
  ]
  render(
    <DataTable
      label="Crons"
      columns={cronColumns(
        () => 'chat',
        () => ({ workspace: 'w', run: null, isLoading: false }),
      )}
      rows={crons.map(
        (payload, n) => ({ cron_id: `${n}`, assistant_id: 'a', schedule: '0 9 * * *', payload }) as never,
      )}
      rowKey={({ cron_id }: Cron) => cron_id}
      empty={null}
    />,
  )
  const runs = screen.getAllByRole('row').map((row) => row.querySelectorAll('td')[1]?.textContent)
  expect(runs).toEqual([undefined, 'chatMorning report', 'chat{ "city": "Porto" }', 'chat'])
})

test('a run that is due is not said to be over', () => {
  const dueAt = new Date(Date.now() + 20_000).toISOString()
  render(
    <DataTable
      label="Crons"
      columns={cronColumns(
        () => 'chat',
        () => ({ workspace: 'w', run: null, isLoading: false }),
      )}
      rows={[{ cron_id: 'c', assistant_id: 'a', schedule: '* * * * *', next_run_date: dueAt } as never]}
      rowKey={({ cron_id }: Cron) => cron_id}
      empty={null}
    />,
  )
  expect(screen.getAllByText('within a minute')).toHaveLength(2)
})

test('a cron leads to its last run, whose end it tells; none and unknown are told apart', () => {
  const run = { recording: 'rec', deployment: 'd', thread: 't', run: 'r', status: 'error', error: 'It broke.' }
  const runs: Record<string, unknown> = { failed: run, new: null }
  render(
    <DataTable
      label="Crons"
      columns={cronColumns(
        () => 'chat',
        (cron) => ({ workspace: 'w', run: runs[cron] as never, isLoading: false }),
      )}
      rows={['failed', 'new', 'unread'].map(
        (cron_id) => ({ cron_id, assistant_id: 'a', schedule: '0 9 * * *' }) as never,
      )}
      rowKey={({ cron_id }: Cron) => cron_id}
      empty={null}
    />,
  )
  const at = screen.getAllByRole('columnheader').findIndex(({ textContent }) => textContent === 'Last run')
  const [, ...cells] = screen.getAllByRole('row').map((row) => row.querySelectorAll('td')[at])
  expect(cells[0]?.querySelector('a')?.getAttribute('href')).toBe('/w/deployments/d/runs/rec')
  expect(cells[0]?.textContent).toContain('Failed')
  expect(cells.slice(1).map((cell) => cell?.querySelector('span')?.title)).toEqual([
    'No run of it was found: it has none yet, or its server does not tell which thread it had.',
    'Unknown: it could not be read.',
  ])
})
