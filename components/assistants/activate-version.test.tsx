import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { activateVersion, saveAssistant } from '@/lib/actions/assistants'
import type { AssistantOutcome } from '@/lib/contracts/agents/assistant-edit'
import { ActivateVersion } from './activate-version'

vi.mock('@/lib/actions/assistants', () => ({ activateVersion: vi.fn(), saveAssistant: vi.fn() }))
afterEach(cleanup)

const place = { workspace: 'w', deploymentId: 'd', assistant: 'a' }
const record = { assistant_id: 'a', graph_id: 'g', name: 'One', config: {}, metadata: {}, context: { label: 'of 2' } }
const saved = (more: object = {}) => ({
  ok: true as const,
  data: { kind: 'saved', assistant: JSON.stringify(record), ...more } as AssistantOutcome,
})

async function activate(outcome: ReturnType<typeof saved>) {
  vi.mocked(activateVersion).mockResolvedValue(outcome)
  const onClose = vi.fn()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ActivateVersion place={place} version={1} active={2} onClose={onClose} />
    </QueryClientProvider>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Activate version 1' }))
  return onClose
}

test('an activated version can be undone', async () => {
  await activate(saved())
  await screen.findByRole('dialog', { name: 'Version 1 is active' })
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(vi.mocked(activateVersion)).toHaveBeenLastCalledWith(
    expect.objectContaining({ version: 2, expectedVersion: 1 }),
  )
})

test('content that the server kept is named, and the version can be saved as a new one', async () => {
  const wanted = JSON.stringify({ name: 'One', description: '', config: {}, metadata: {}, context: { label: 'of 1' } })
  const onClose = await activate(saved({ differs: { fields: ['context'], wanted } }))
  await screen.findByRole('dialog', { name: 'Version 1 is active only in part' })
  expect(screen.getByRole('status').textContent).toContain('kept the context of version 2')
  vi.mocked(saveAssistant).mockResolvedValue(saved())
  await userEvent.click(screen.getByRole('button', { name: 'Save as a new version' }))
  const sent = vi.mocked(saveAssistant).mock.calls[0]?.[0]
  expect([JSON.parse(sent?.base ?? '').context, sent?.draft]).toEqual([{ label: 'of 2' }, wanted])
  expect(onClose).toHaveBeenCalled()
})
