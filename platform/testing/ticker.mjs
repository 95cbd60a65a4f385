// Files of a graph that counts: `events` custom events, one per `ms`. Half way, it waits while the file `hold` exists.
const source = `
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { END, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

const State = z.object({ events: z.number().default(1), ms: z.number().default(0), steps: z.number().default(1), done: z.number().default(0), hold: z.string().default('') })

export const graph = new StateGraph(State)
  .addNode('tick', async ({ events, ms, steps, done, hold }, { writer }) => {
    while (hold && done === Math.floor(steps / 2) && existsSync(hold)) await sleep(10)
    const each = Math.ceil(events / steps)
    for (let n = done * each; n < Math.min(events, (done + 1) * each); n++) {
      await sleep(ms)
      writer?.({ n })
    }
    return { done: done + 1 }
  })
  .addEdge(START, 'tick')
  .addConditionalEdges('tick', ({ done, steps }) => (done < steps ? 'tick' : END), ['tick', END])
  .compile({ name: 'ticker' })
`

/** A different `note` makes a different commit. */
export const tickerFiles = (note = '') => ({
  'graph.json': JSON.stringify({ graphs: { ticker: './ticker.mjs:graph' } }),
  'ticker.mjs': `// ${note}\n${source}`,
})
