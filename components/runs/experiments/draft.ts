import { readConfiguration } from '@/components/runs/start/prefill'
import { type Configuration, NO_MORE } from '@/components/runs/start/start-options'
import { configurationBody } from '@/components/runs/start/start-request'
import { printJson } from '@/lib/json/lossless'
import {
  type Check,
  type Experiment,
  inputPreview,
  MAX_NAME,
  messageInput,
  readJsonLines,
  type Subject,
} from '@/lib/stream/experiments'

/**
 * A row of the form. `version` is '' for the assistant as it is, `revision` for the one that serves, `title` for a column
 * without a name of its own.
 */
export type SubjectDraft = Configuration & {
  key: string
  deployment: string
  assistant: string
  version: string
  revision: string
  title: string
}
export type InputKind = 'message' | 'lines' | 'runs'
export type CheckDraft = { key: string; kind: Check['kind']; text: string; path: string }

/** What the page's URL, or an experiment to repeat, fills in. */
export type Given = {
  deployment?: string
  assistant?: string
  versions?: readonly string[]
  revisions?: readonly string[]
  again?: Pick<Experiment, 'subjects' | 'inputs' | 'checks' | 'name'>
}

const MIN_SUBJECTS = 2

const BLANK = { deployment: '', assistant: '', version: '', revision: '', title: '', context: '', more: NO_MORE }

export function firstSubjects({ deployment = '', assistant = '', again, ...given }: Given): SubjectDraft[] {
  const { versions = [], revisions = [] } = given
  const blank = { ...BLANK, deployment, assistant }
  const rows = again
    ? again.subjects.map(rowOf)
    : [...versions.map((version) => ({ ...blank, version })), ...revisions.map((revision) => ({ ...blank, revision }))]
  while (!again && rows.length < MIN_SUBJECTS) rows.push(blank)
  return rows.map((row, index) => ({ ...row, key: `given-${index}` }))
}

const rowOf = ({
  deployment,
  assistant,
  version,
  title = '',
  options,
  ...one
}: Subject): Omit<SubjectDraft, 'key'> => ({
  ...{ deployment, assistant, version: version === null ? '' : String(version), title },
  revision: (one.isPinned && one.revision) || '',
  ...readConfiguration(options ?? '{}'),
})

/** One more row: like the last, so that what they differ in is all there is to fill in. */
export const nextSubject = (rows: readonly SubjectDraft[], key: string): SubjectDraft => ({
  ...(rows.at(-1) ?? BLANK),
  title: '',
  key,
})

/** What a row's column is called, and how its runs are configured. `isConfigured`: see `configurationBody`. */
export function columnOf(row: SubjectDraft, isConfigured: boolean): Pick<Subject, 'title' | 'options'> {
  const { body } = configurationBody(row, isConfigured)
  const title = row.title.trim()
  return { ...(title && { title }), ...(Object.keys(body).length > 0 && { options: printJson(body) }) }
}

export const firstChecks = ({ again }: Given): CheckDraft[] =>
  (again?.checks ?? []).map((check, index) => ({ key: `given-${index}`, ...draftOf(check) }))

function draftOf(check: Check): Omit<CheckDraft, 'key'> {
  switch (check.kind) {
    case 'contains':
      return { kind: check.kind, text: check.text, path: '' }
    case 'regex':
      return { kind: check.kind, text: check.pattern, path: '' }
    case 'latency':
      return { kind: check.kind, text: String(check.ms / 1000), path: '' }
    case 'equals':
      return { kind: check.kind, text: check.value, path: check.path }
  }
}

/** The check that a row describes; a text if it describes none. */
export function checkOf({ kind, text, path }: Omit<CheckDraft, 'key'>): Check | string {
  if (text.trim() === '') return 'Enter a value, or remove the check.'
  if (kind === 'contains') return { kind, text }
  if (kind === 'regex') return { kind, pattern: text }
  if (kind === 'equals') return path.trim() === '' ? 'Enter a path.' : { kind, path, value: text }
  const seconds = Number(text)
  return Number.isFinite(seconds) && seconds > 0
    ? { kind, ms: Math.max(1, Math.round(seconds * 1000)) }
    : 'Enter seconds, such as 2.5.'
}

/** The inputs of the form. `problem`: why there are none. */
export function inputsOf(
  kind: InputKind,
  text: string,
  chosen: readonly string[],
): { inputs: string[]; problem?: string } {
  if (kind === 'runs') return chosen.length > 0 ? { inputs: [...chosen] } : { inputs: [], problem: 'Choose a run.' }
  if (text.trim() === '') return { inputs: [], problem: 'Enter an input.' }
  return kind === 'message' ? { inputs: [messageInput(text.trim())] } : readJsonLines(text)
}

/** A list of inputs as the form shows them: a single message as text, else JSON Lines. */
export function textOfInputs(inputs: readonly string[]): { kind: InputKind; text: string } {
  const [first] = inputs
  if (inputs.length === 1 && first !== undefined && inputPreview(first) !== first)
    return { kind: 'message', text: inputPreview(first) }
  const line = (input: string) => {
    const preview = inputPreview(input)
    return preview === input ? input.replace(/\s*\n\s*/g, ' ') : JSON.stringify(preview)
  }
  return { kind: 'lines', text: inputs.map(line).join('\n') }
}

/** The name that an experiment gets: its first input. */
export const nameOf = (inputs: readonly string[]): string =>
  inputPreview(inputs[0] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_NAME) || 'Experiment'

/** The same assistant, version and revision twice with the same options: their columns would not differ. */
export function hasTwin(subjects: readonly SubjectDraft[]): boolean {
  const chosen = subjects.filter(({ assistant }) => assistant)
  const kinds = chosen.map(({ deployment, assistant, version, revision, context, more }) =>
    JSON.stringify([deployment, assistant, version, revision, context, more]),
  )
  return new Set(kinds).size < chosen.length
}
