import 'server-only'
import { z } from 'zod'
import { BOM, csvLine } from '@/lib/format/csv'
import { parseJson, printJson } from '@/lib/json/lossless'
import { columnNames, inputPreview, revisionOf, type Subject } from '@/lib/stream/experiments'
import type { Actor } from '../access/actor'
import { sessionActor } from '../access/actor'
import { parseInput } from '../process/result'
import { download, inFileName } from '../relay/download'
import { readExperiment } from './run'

const Query = z.strictObject({ format: z.enum(['csv', 'jsonl']) })

/** Serves `GET /api/export/{workspace}/experiments/{experiment}?format=csv|jsonl`: a row per pair. */
export const exportExperiment = (
  request: Request,
  place: { workspace: string; id: string },
  who: () => Promise<Actor> = sessionActor,
): Promise<Response> =>
  download(
    request,
    async (actor) => {
      const { format } = parseInput(Query, Object.fromEntries(new URL(request.url).searchParams))
      const name = `experiment-${inFileName(place.id.slice(0, 8))}.${format}`
      const experiment = await readExperiment(actor, place)
      const lines = format === 'csv' ? csvLines(experiment) : jsonLines(experiment)
      return { name, type: format === 'csv' ? 'text/csv' : 'application/jsonl', parts: partsOf(lines) }
    },
    who,
  )

const NONE: Subject = { deployment: '', deploymentName: '', assistant: '', name: '', version: null, revision: null }

type Read = Awaited<ReturnType<typeof readExperiment>>

async function* partsOf(lines: Iterable<string>): AsyncGenerator<string, void> {
  yield* lines
}

const HEADER = ['input', 'assistant', 'version', 'deployment', 'state', 'outcome', 'output', 'error', 'latency_ms']
const MORE = ['first_token_ms', 'tokens_in', 'tokens_out', 'cost_usd', 'cost_is_estimated', 'passed', 'failed_checks']
const LAST = ['rating', 'note', 'rated_by', 'run', 'tokens_from', 'column', 'options']
/** `revision_from`: `run`, or `experiment` if it was inferred; `reused_from`: when the earlier run was started. */
const REVISION = ['revision', 'revision_from', 'reused_from']

function* csvLines({ subjects, inputs, checks, pairs }: Read): Generator<string> {
  const names = columnNames(subjects)
  yield BOM + csvLine([...HEADER, ...MORE, ...LAST, ...REVISION])
  for (const { subject: at, input, state, result, error, thumb, note, ratedBy, checks: told } of pairs) {
    const subject = subjects[at] ?? NONE
    const { name, version, deploymentName } = subject
    const revision = revisionOf(result, subject)
    const { outcome, output, latencyMs, firstTokenMs, tokensIn, tokensOut, cost, isEstimated, run, isTraced } =
      result ?? {}
    yield csvLine([
      ...[inputPreview(inputs[input] ?? ''), name, version, deploymentName, state, outcome, output],
      ...[result?.error ?? error, latencyMs, firstTokenMs, tokensIn, tokensOut, cost],
      cost === null || cost === undefined ? null : isEstimated,
      checks.length > 0 && result ? told.every(({ isPassed }) => isPassed) : null,
      told.flatMap(({ isPassed, reason }) => (isPassed ? [] : [reason])).join('; '),
      ...[thumb === 1 ? 'up' : thumb === -1 ? 'down' : null, note, ratedBy, run],
      typeof tokensIn !== 'number' ? null : isTraced ? 'trace' : 'recording',
      ...[names[at], subject.options],
      ...[revision?.id, revision?.id && (revision.isInferred ? 'experiment' : 'run')],
      result?.isReused ? result.startedAt : null,
    ])
  }
}

function* jsonLines({ subjects, inputs, checks, pairs }: Read): Generator<string> {
  const names = columnNames(subjects)
  for (const { subject, input, checks: told, result, ...rest } of pairs) {
    const about = subjects[subject]
    const { values: _values, ...facts } = result ?? {}
    const line = {
      revision: (about && revisionOf(result, about)) ?? null,
      input: parseJson(inputs[input] ?? 'null'),
      subject: about && { ...about, label: names[subject], options: about.options && parseJson(about.options) },
      ...rest,
      result: result && facts,
      checks: told.map((one, index) => ({ ...checks[index], ...one })),
    }
    yield `${printJson(line)}\n`
  }
}
