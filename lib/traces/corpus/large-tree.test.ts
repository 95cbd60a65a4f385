import { expect, test } from 'vitest'
import { usageOf } from '../facts'
import { isModelCall, lightRun, type RunRecord } from '../light-run'
import { TraceTree } from '../tree'
import { CORPUS, type CorpusRun } from './corpus'

// A trace of 25,000 runs, made of the recorded runs of an agent: one root, and the agent's runs below it again and again.

const SIZE = 25_000
const agent = CORPUS.find(({ name }) => name.startsWith('agent: '))
if (!agent) throw new Error('The corpus has no agent')
const COPIES = Math.floor((SIZE - 1) / agent.runs.length)

function copied(run: CorpusRun, copy: number): RunRecord {
  const record = run as RunRecord
  const usage = isModelCall(run.run_type) ? usageOf(run) : undefined
  const parent = record.parent_run_id
  return {
    ...record,
    id: `${run.id} ${copy}`,
    parent_run_id: parent ? `${parent} ${copy}` : 'root',
    ...(usage && { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.total }),
  }
}

test('a trace of 25,000 runs has every run in its place, and the sums of what the providers told', () => {
  const copies = Array.from({ length: COPIES }, (_, copy) => agent.runs.map((run) => copied(run, copy))).flat()
  // What is missing for the full number are calls of a step without children.
  const alone = Array.from(
    { length: SIZE - 1 - copies.length },
    (_, index): RunRecord => ({ id: `${index}`, parent_run_id: 'root' }),
  )
  const all = [{ id: 'root', run_type: 'chain', start_time: 0, end_time: 1 }, ...copies, ...alone].map(lightRun)
  const tree = new TraceTree()
  // Pages arrive in any order.
  for (let at = SIZE; at > 0; at -= 5000) tree.add(all.slice(Math.max(0, at - 5000), at))
  const [input, output] = agent.answered
  const models = agent.runs.filter(({ run_type }) => isModelCall(run_type)).length
  expect(tree.size).toBe(SIZE)
  expect(tree.sums).toMatchObject({ models: COPIES * models, tokens: COPIES * (input + output) })
  const rows = tree.rows({ closed: new Set(), isErrorsFirst: false, hasHidden: true, query: '' })
  expect(rows).toHaveLength(SIZE)
  expect(rows[0]).toMatchObject({ depth: 0, errors: COPIES * agent.runs.filter(({ error }) => error).length })
  // Every row stands below its parent, one level deeper.
  const depths = new Map(rows.map(({ node, depth }) => [node.run.id, depth]))
  expect(rows.filter(({ node, depth }) => node.run.parent && depths.get(node.run.parent) !== depth - 1)).toEqual([])
})
