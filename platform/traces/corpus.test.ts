import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CORPUS, type CorpusCase, type CorpusRun } from '@/lib/traces/corpus/corpus'
import { createTracesFixture, type TracesFixture } from './testing'

// The totals of every case of the corpus against the sums of what the providers' answers told.

let traces: TracesFixture
beforeAll(async () => {
  traces = await createTracesFixture()
}, 60_000)
afterAll(() => traces?.close(), 30_000)

test.each(CORPUS.map((one, index) => [`${one.file} ${one.name}`, one, `case ${index}`] as const))(
  '%s',
  async (_, one, project) => {
    const { answered, lostTokens = [0, 0] } = one
    const runs = renewed(one.runs)
    const post = runs.map((run) => ({ ...run, session_id: undefined, session_name: project }))
    expect((await traces.post('/runs/batch', { post })).status).toBe(202)
    const { id } = await traces.project(project)
    const { body } = await traces.post('/runs/stats', { session: [id] })
    const [input = 0, output = 0] = answered.map((told, index) => told - (lostTokens[index] ?? 0))
    expect([body.prompt_tokens ?? 0, body.completion_tokens ?? 0]).toEqual([input, output + tooMany(one)])
    expect(await feedbackOf(runs, one.feedback)).toEqual([one.reads].flat().flatMap(({ feedback = [] }) => feedback))
  },
)

/** What is listed of feedback after it was given on the only run, in the order of its keys, without what is empty. */
async function feedbackOf([run]: readonly CorpusRun[], given: CorpusCase['feedback'] = []) {
  for (const one of given) {
    const { status } = await traces.post('/feedback', { ...one, id: randomUUID(), run_id: run?.id })
    expect(status).toBe(202)
  }
  if (given.length === 0) return []
  const listed = (await traces.get(`/feedback?run=${run?.id}`)).body as Record<string, unknown>[]
  const keys = ['key', 'score', 'value', 'comment', 'correction']
  return listed
    .map((one) => Object.fromEntries(keys.flatMap((key) => (one[key] === null ? [] : [[key, one[key]]]))))
    .sort((one, other) => String(one.key).localeCompare(String(other.key)))
}

/** One package adds both counts of a stream's output: the 1 that it begins with and the sum at its end. */
const tooMany = ({ file, name }: CorpusCase): number =>
  file === 'langchain-others.json' && /^langchain anthropic.*streamed/.test(name) ? 1 : 0

/** The same runs with ids of their own, because the corpus uses the same ids in every case. */
const renewed = (runs: readonly CorpusRun[]): CorpusRun[] =>
  JSON.parse(runs.reduce((text, { id }) => text.replaceAll(id, randomUUID()), JSON.stringify(runs)))
