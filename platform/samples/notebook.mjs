import { randomUUID } from 'node:crypto'
import { END, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

const State = z.object({
  user: z.string().default('somebody').describe('Whose notebook it is'),
  note: z.string().default('').describe('What to remember; nothing to only read'),
  notes: z
    .array(z.string())
    .default(() => [])
    .describe('What has been remembered of this user, in all threads'),
})

// A part of a namespace must not contain periods or be empty.
const placeOf = (user) => ['notes', user.replaceAll('.', ' ') || 'somebody']

async function write({ user, note }, { store }) {
  // The deployment's store: other threads and the Store operations see the same items.
  if (note) await store.put(placeOf(user), randomUUID(), { text: note })
  return {}
}

async function read({ user }, { store }) {
  const found = await store.search(placeOf(user), { limit: 100 })
  return { notes: found.map(({ value }) => value.text).reverse() }
}

export const graph = new StateGraph(State)
  .addNode('write', write)
  .addNode('read', read)
  .addEdge(START, 'write')
  .addEdge('write', 'read')
  .addEdge('read', END)
  .compile({ name: 'notebook' })
