// The agent that the A2A compatibility kit talks to: works for a moment, then asks again and again.
import { setTimeout as sleep } from 'node:timers/promises'
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'

const WORK_MS = 1500

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('work', async (_, { signal }) => {
    await sleep(WORK_MS, undefined, { signal })
    return {}
  })
  .addNode('ask', () => ({ messages: [{ role: 'assistant', content: `Done: ${String(interrupt('What next?'))}` }] }))
  .addEdge(START, 'work')
  .addEdge('work', 'ask')
  .addEdge('ask', 'ask')
  .compile({ name: 'asking' })
