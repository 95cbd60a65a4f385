import { setTimeout as sleep } from 'node:timers/promises'
import { END, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

// One node: waits, then sends `events` small events.
const State = z.object({ events: z.number().default(1), wait: z.number().default(0), said: z.number().default(0) })

export const graph = new StateGraph(State)
  .addNode('say', async ({ events, wait }, { writer }) => {
    if (wait) await sleep(wait)
    for (let index = 0; index < events; index++) writer?.({ index, text: 'a few words' })
    return { said: events }
  })
  .addEdge(START, 'say')
  .addEdge('say', END)
  .compile()
