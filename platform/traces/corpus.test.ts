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
    const { runs, answered } = one
    const post = renewed(runs).map((run) => ({ ...run, session_id: undefined, session_name: project }))
    expect((await traces.post('/runs/batch', { post })).status).toBe(202)
    const { id } = await traces.project(project)
    const { body } = await traces.post('/runs/stats', { session: [id] })
    const [input, output] = answered
    expect([body.prompt_tokens ?? 0, body.completion_tokens ?? 0]).toEqual([input, output + tooMany(one)])
  },
)

/** One package adds both counts of a stream's output: the 1 that it begins with and the sum at its end. */
const tooMany = ({ file, name }: CorpusCase): number =>
  file === 'langchain-others.json' && /^langchain anthropic.*streamed/.test(name) ? 1 : 0

/** The same runs with ids of their own, because the corpus uses the same ids in every case. */
const renewed = (runs: readonly CorpusRun[]): CorpusRun[] =>
  JSON.parse(runs.reduce((text, { id }) => text.replaceAll(id, randomUUID()), JSON.stringify(runs)))
