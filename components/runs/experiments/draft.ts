import {
  type Check,
  type Experiment,
  inputPreview,
  MAX_NAME,
  messageInput,
  readJsonLines,
  type Subject,
} from '@/lib/stream/experiments'

/** A row of the form. `version` is '' for the assistant as it is. */
export type SubjectDraft = { key: string; deployment: string; assistant: string; version: string }
export type InputKind = 'message' | 'lines' | 'runs'
export type CheckDraft = { key: string; kind: Check['kind']; text: string; path: string }

/** What the page's URL, or an experiment to repeat, fills in. */
export type Given = {
  deployment?: string
  assistant?: string
  versions?: readonly string[]
  again?: Pick<Experiment, 'subjects' | 'inputs' | 'checks' | 'name'>
}

const MIN_SUBJECTS = 2

export function firstSubjects({ deployment = '', assistant = '', versions = [], again }: Given): SubjectDraft[] {
  const rows = again
    ? again.subjects.map((one) => ({ ...one, version: one.version === null ? '' : String(one.version) }))
    : versions.map((version) => ({ deployment, assistant, version }))
  while (!again && rows.length < MIN_SUBJECTS) rows.push({ deployment, assistant, version: '' })
  return rows.map(({ deployment: of, assistant: which, version }, index) => ({
    ...{ key: `given-${index}`, deployment: of, assistant: which, version },
  }))
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

/** The same assistant and version twice: their columns would not differ. */
export const hasTwin = (subjects: readonly Pick<Subject, 'deployment' | 'assistant' | 'version'>[]): boolean =>
  new Set(subjects.map(({ deployment, assistant, version }) => JSON.stringify([deployment, assistant, version]))).size <
  subjects.length
