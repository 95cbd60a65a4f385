import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { assistantVersionsQuery, pickableAssistants } from '@/lib/queries/assistants'
import { firstSubjects, type SubjectDraft } from './draft'
import { SubjectFields } from './subject-fields'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const deployments = ['d1', 'd2'].map((id) => ({ id, name: id })) as never
const assistant = (assistant_id: string) => ({ assistant_id, graph_id: 'agent', name: assistant_id, metadata: {} })
const Context = () => null
type Change = (now: SubjectDraft) => SubjectDraft
/** The changes that the fields have asked for, which the test applies, as the form does at its next render. */
let changes: Change[]
let apply: (change: Change) => void

function Form() {
  const [draft, setDraft] = useState(() => firstSubjects({ deployment: 'd1' })[0] as SubjectDraft)
  apply = setDraft
  return (
    <SubjectFields
      {...{ workspace: 'w', index: 0, deployments, value: draft, Context, issues: [] }}
      onChange={(change) => void changes.push(change)}
    />
  )
}

/** Shows the fields; `tell` brings the only assistant of a deployment. */
function open() {
  changes = []
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <Form />
    </QueryClientProvider>,
  )
  return async function tell(deployment: string, name: string) {
    client.setQueryData(assistantVersionsQuery('w', deployment, name, { limit: 50 }).queryKey, [] as never)
    client.setQueryData(pickableAssistants('w', deployment).queryKey, [assistant(name)] as never)
    await waitFor(() => expect(changes).not.toEqual([]))
  }
}
async function applyAll(these: (Change | undefined)[]) {
  await act(async () => {
    for (const change of these) if (change) apply(change)
  })
}
const shown = (name: string) => (screen.getByLabelText(`Column 1: ${name}`) as HTMLSelectElement).value

test('a deployment that is chosen while its first assistants arrive stays chosen', async () => {
  const tell = open()
  await tell('d1', 'a1')
  const [usual] = changes.splice(0)
  fireEvent.change(screen.getByLabelText('Column 1: deployment'), { target: { value: 'd2' } })
  const [choice] = changes.splice(0)
  // The first assistant of the first deployment is filled in after the choice.
  await applyAll([choice, usual])
  expect(shown('deployment')).toBe('d2')
  await tell('d2', 'a2')
  await applyAll(changes.splice(0))
  expect([shown('deployment'), shown('assistant')]).toEqual(['d2', 'a2'])
})

test('while the assistants of a deployment load, none of another one is chosen', async () => {
  const tell = open()
  await tell('d1', 'a1')
  await applyAll(changes.splice(0))
  fireEvent.change(screen.getByLabelText('Column 1: deployment'), { target: { value: 'd2' } })
  await applyAll(changes.splice(0))
  expect(changes).toEqual([])
  expect(shown('assistant')).toBe('')
})
