import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { END, Send, START, StateGraph } from '@langchain/langgraph'
import { registry } from '@langchain/langgraph/zod'
import { z } from 'zod'

const Result = z.object({ worker: z.number().int(), ms: z.number().int(), value: z.number().int() })
const State = z.object({
  workers: z.number().int().min(1).max(200).default(12).describe('How many workers run at once'),
  results: z
    .array(Result)
    .default(() => [])
    .describe('One entry per worker')
    .register(registry, { reducer: { fn: (all, more) => all.concat(more) } }),
  total: z.number().int().default(0).describe('The sum over all workers'),
})
const Context = z.object({
  slowest_ms: z.number().int().min(0).max(60_000).default(4000).describe('How long the slowest worker takes'),
})

async function spread(_state, { writer }) {
  writer?.({ kind: 'spread', at: 'start' })
  return { total: 0 }
}

async function work({ worker, workers }, { context, writer, signal }) {
  setMaxListeners(0, signal) // all workers listen to the run's only signal
  // Out of order but reproducible: 7 has no common factor with most counts.
  const ms = Math.round(((((worker * 7) % workers) + 1) / workers) * (context?.slowest_ms ?? 4000))
  for (let part = 1; part <= 4; part += 1) {
    await sleep(ms / 4, undefined, { signal })
    writer?.({ kind: 'progress', worker, percent: part * 25 })
  }
  return { results: [{ worker, ms, value: worker * worker }] }
}

async function merge(state) {
  return { total: state.results.slice(-state.workers).reduce((sum, result) => sum + result.value, 0) }
}

export const graph = new StateGraph(State, Context)
  .addNode('spread', spread)
  .addNode('work', work)
  .addNode('merge', merge)
  .addEdge(START, 'spread')
  .addConditionalEdges(
    'spread',
    (state) =>
      Array.from({ length: state.workers }, (_, worker) => new Send('work', { worker, workers: state.workers })),
    ['work'],
  )
  .addEdge('work', 'merge')
  .addEdge('merge', END)
  .compile({ name: 'fanout' })
