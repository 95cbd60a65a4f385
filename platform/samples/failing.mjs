import { setTimeout as sleep } from 'node:timers/promises'
import { END, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

const State = z.object({
  order: z.string().default('A-1001').describe('An order number'),
  checked: z.boolean().default(false),
  reserved: z.boolean().default(false),
  paid: z.boolean().default(false),
})
const Context = z.object({ card: z.enum(['declined', 'accepted']).default('declined').describe('What the bank says') })

async function check(_state, { signal }) {
  await sleep(400, undefined, { signal })
  return { checked: true }
}

async function reserve(_state, { signal }) {
  await sleep(400, undefined, { signal })
  return { reserved: true }
}

async function pay(state, { context, signal }) {
  await sleep(400, undefined, { signal })
  if (context?.card === 'accepted') return { paid: true }
  throw new Error(`The payment of order ${state.order} was declined by the bank.`)
}

export const graph = new StateGraph(State, Context)
  .addNode('check', check)
  .addNode('reserve', reserve)
  .addNode('pay', pay)
  .addEdge(START, 'check')
  .addEdge('check', 'reserve')
  .addEdge('reserve', 'pay')
  .addEdge('pay', END)
  .compile({ name: 'failing' })
