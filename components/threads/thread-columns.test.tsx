import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { DataTable } from '@/components/shared/list/data-table'
import type { WorkspaceThread } from '@/lib/stream/thread-rows'
import { workspaceColumns } from './thread-columns'

afterEach(cleanup)

test('a thread tells its time below its title too, where a small screen has no column for it', () => {
  const row = { ...{ id: 't', title: 'Refund', preview: 'Of course.', status: 'idle' }, at: new Date().toISOString() }
  const thread = { ...row, deployment: 'd', deploymentName: 'shop', graph: 'chat' } as WorkspaceThread
  render(<DataTable label="Threads" columns={workspaceColumns} rows={[thread]} rowKey={({ id }) => id} empty="None" />)
  const [title, ...others] = screen.getAllByRole('cell').map((cell) => within(cell).queryAllByText('just now').length)
  expect([title, others.at(-1)]).toEqual([1, 1])
})
