import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { DataTable } from '@/components/shared/list/data-table'
import { inboxColumns } from './inbox-columns'

afterEach(cleanup)

test('how long a thread has waited is shown on every screen, and its deployment is', () => {
  const row = {
    ...{ id: 'd t', name: 'mails', deployment: 'd', deploymentName: 'mails', thread: 't', graph: 'approval' },
    ...{ since: new Date().toISOString(), questions: ['i1'], asks: 'Send this?' },
  }
  const columns = inboxColumns(false)
  expect(columns.filter(({ from }) => from === undefined).map(({ id }) => id)).toEqual(['asks', 'since'])
  render(<DataTable label="Waiting" columns={columns} rows={[row]} rowKey={({ id }) => id} empty="None" />)
  expect(within(screen.getAllByRole('cell')[0] as HTMLElement).getByText('mails')).toBeTruthy()
})
