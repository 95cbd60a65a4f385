import { END, START, StateGraph } from '@langchain/langgraph'
import { registry } from '@langchain/langgraph/zod'
import { z } from 'zod'

const SHELVES = 4
const RECORD_BYTES = 1000

const State = z.object({
  megabytes: z.number().min(0.1).max(64).default(2).describe('How large the state becomes'),
  shelf: z.number().int().default(0).describe('How many shelves are filled'),
  records: z
    .array(z.looseObject({}))
    .default(() => [])
    .describe('Every record of every shelf')
    .register(registry, { reducer: { fn: (all, more) => all.concat(more) } }),
})

const WORDS = 'harbour lantern compass anchor tide beacon chart rope sail keel mast gull pier fog bell wharf'.split(' ')

function record(number) {
  const line = Array.from({ length: 24 }, (_, i) => WORDS[(number * 7 + i * (1 + (number % 5))) % WORDS.length]).join(
    ' ',
  )
  return {
    id: `record-${String(number).padStart(7, '0')}`,
    taken_at: new Date(Date.UTC(2020, 0, 1) + number * 60_000).toISOString(),
    place: { shelf: number % SHELVES, box: { row: number % 40, column: Math.floor(number / 40) % 40 } },
    tags: [WORDS[number % 16], WORDS[(number * 3) % 16]],
    text: `${line}. ${line.toUpperCase()}. ${line}.`.padEnd(RECORD_BYTES - 160, '.'),
  }
}

async function fill(state) {
  const count = Math.ceil((state.megabytes * 1_000_000) / RECORD_BYTES / SHELVES)
  return { shelf: state.shelf + 1, records: Array.from({ length: count }, (_, i) => record(state.records.length + i)) }
}

export const graph = new StateGraph(State)
  .addNode('fill', fill)
  .addEdge(START, 'fill')
  .addConditionalEdges('fill', (state) => (state.shelf % SHELVES ? 'fill' : END), ['fill', END])
  .compile({ name: 'archive' })
