import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { DataTable } from '@/components/shared/list/data-table'
import { inboxColumns } from './inbox-columns'

afterEach(cleanup)

test('how long a thread has waited and what it asks about are shown on every screen, and its deployment is', () => {
  const row = {
    ...{ id: 'd t', name: 'mails', deployment: 'd', deploymentName: 'mails', thread: 't', graph: 'approval' },
    ...{ since: new Date().toISOString(), questions: ['i1'], asks: 'Send this?', about: 'draft: Dear team' },
  }
  const columns = inboxColumns(false)
  expect(columns.filter(({ from }) => from === undefined).map(({ id }) => id)).toEqual(['asks', 'since'])
  render(<DataTable label="Waiting" columns={columns} rows={[row]} rowKey={({ id }) => id} empty="None" />)
  const request = within(screen.getAllByRole('cell')[0] as HTMLElement)
  expect(request.getByText('mails')).toBeTruthy()
  expect(request.getByText('draft: Dear team')).toBeTruthy()
})
