import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { LoggedRun } from '../detect'

/** Runs that real packages logged, for tests; `scripts/checks/log-real-traces.mjs` writes them. */

/** A text, or one block by what it must show. */
export type ReadBlock = string | Record<string, unknown>
export type Reading = {
  /** The run's name, as alternatives. */
  run: string
  type?: string
  nth?: number
  inputs?: [role: string, ...ReadBlock[]][]
  outputs?: [role: string, ...ReadBlock[]][]
  results?: Record<string, [status: string, text: string]>
  usage?: Record<string, number>
  finish?: string
  error?: string
  /** As lists and trees call it. */
  status?: string
  /** Texts that the run logs, for runs without messages; `components/traces/corpus/pages.test.ts` holds the page to them. */
  says?: string[]
  documents?: [text: string, title: string, score: number][]
  vectors?: number[]
  feedback?: Record<string, unknown>[]
}
export type CorpusRun = LoggedRun & { id: string; name: string; run_type: string; error?: unknown }
export type CorpusCase = {
  file: string
  name: string
  isStreamed: boolean
  /** What the package lost or broke before it logged the run. */
  lost?: string
  reads: Reading | Reading[]
  /** Input and output tokens that the providers' answers told. */
  answered: [input: number, output: number]
  /** Of those, the ones that the package did not log. */
  lostTokens?: [input: number, output: number]
  runs: CorpusRun[]
  /** The request with spans that the platform made the runs of. */
  spans?: unknown
  /** What was given on the runs, as the package sent it. */
  feedback?: Record<string, unknown>[]
}

export const CORPUS: readonly CorpusCase[] = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => {
    const { cases } = JSON.parse(readFileSync(path.join(import.meta.dirname, name), 'utf8')) as { cases: CorpusCase[] }
    return cases.map((one) => ({ ...one, file: name }))
  })
