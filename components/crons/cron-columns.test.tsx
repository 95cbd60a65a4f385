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
      columns={cronColumns(() => 'chat')}
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
