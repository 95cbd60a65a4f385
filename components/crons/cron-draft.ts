import { jsonProblemText } from '@/components/shared/json/json-problem'
import type { Cron } from '@/lib/contracts/agents/crons'
import { UTC } from '@/lib/format/format'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'

/** The values of the form. JSON parts are text, so that numbers keep their digits. */
export type CronDraft = {
  assistant: string
  /** The thread to run on; empty for a new thread each time. */
  thread: string
  schedule: string
  timezone: string
  /** ISO 8601, or empty. */
  end: string
  isEnabled: boolean
  /** Whether threads created by the cron are kept. */
  keeps: boolean
  input: string
  context: string
  metadata: string
  /** The other parts of the run request: config, webhook, breakpoints, durability … */
  rest: string
}
export type CronField = keyof CronDraft
export type Problems = Partial<Record<CronField, string>>

/** Payload keys with a field of their own, or that belong to a single run instead of the cron. */
const APART = new Set(['assistant_id', 'metadata', 'input', 'context', 'on_completion'])

export const emptyDraft = (assistant: string, thread = ''): CronDraft => ({
  assistant,
  thread,
  schedule: '0 9 * * 1-5',
  timezone: UTC,
  end: '',
  isEnabled: true,
  keeps: true,
  input: '{}',
  context: '{}',
  metadata: '{}',
  rest: '{}',
})

export function draftOf(cron: Cron): CronDraft {
  const { input, context } = cron.payload ?? {}
  const rest = Object.entries(cron.payload ?? {}).filter(([key]) => !APART.has(key))
  return {
    assistant: cron.assistant_id ?? '',
    thread: cron.thread_id ?? '',
    schedule: cron.schedule,
    timezone: cron.timezone || UTC,
    end: cron.end_time ?? '',
    isEnabled: cron.enabled ?? true,
    keeps: cron.on_run_completed === 'keep',
    input: jsonText(input ?? null),
    context: jsonText(context ?? {}),
    metadata: jsonText(cron.metadata),
    rest: jsonText(Object.fromEntries(rest)),
  }
}

const OBJECTS = ['context', 'metadata', 'rest'] as const

/** The end as a field for a date and a time shows it, in UTC; and what that field says, as the end. */
export const endField = {
  of: (end: string): string => (Number.isNaN(Date.parse(end)) ? '' : new Date(end).toISOString().slice(0, 16)),
  read: (value: string): string => value && `${value.slice(0, 16)}:00Z`,
}

/** The errors of a draft by field. Some errors are found only by the server. */
export function problemsOf(draft: CronDraft): Problems {
  const problems: Problems = {}
  if (!draft.assistant) problems.assistant = 'Choose an assistant.'
  if (draft.end && Number.isNaN(Date.parse(draft.end))) problems.end = 'Choose a date and a time, or leave empty.'
  for (const field of ['input', ...OBJECTS] as const) {
    const problem = jsonProblemText(draft[field])
    if (problem) problems[field] = problem
  }
  for (const field of OBJECTS)
    if (!problems[field] && !isRecord(parseJson(draft[field]))) problems[field] = 'Enter a JSON object.'
  return problems
}

/** The request body to create a cron. The draft must be valid. */
export function createBody(draft: CronDraft): string {
  const { assistant, thread, schedule, timezone, end, isEnabled, keeps, ...json } = draft
  return printJson({
    ...objectOf(json.rest),
    assistant_id: assistant,
    schedule: schedule.trim(),
    // Sent even though UTC is the default, so that the stored cron says so.
    timezone,
    enabled: isEnabled,
    ...(end && { end_time: end }),
    ...(thread === '' && { on_run_completed: keeps ? 'keep' : 'delete' }),
    input: parseJson(json.input),
    ...filled('context', json.context),
    ...filled('metadata', json.metadata),
  })
}

/** The changed fields only, because servers keep fields that are not sent. Undefined if nothing changed. */
export function patchBody(before: CronDraft, after: CronDraft): string | undefined {
  const patch: Record<string, unknown> = {}
  if (after.schedule.trim() !== before.schedule) patch.schedule = after.schedule.trim()
  if (after.timezone !== before.timezone) patch.timezone = after.timezone
  if (after.end !== before.end) patch.end_time = after.end || null
  if (after.isEnabled !== before.isEnabled) patch.enabled = after.isEnabled
  if (after.keeps !== before.keeps) patch.on_run_completed = after.keeps ? 'keep' : 'delete'
  if (!isSame(after.input, before.input)) patch.input = parseJson(after.input)
  if (!isSame(after.context, before.context)) patch.context = parseJson(after.context)
  if (!isSame(after.metadata, before.metadata)) patch.metadata = parseJson(after.metadata)
  const [was, is] = [objectOf(before.rest), objectOf(after.rest)]
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
    if (printJson(was[key] ?? null) !== printJson(is[key] ?? null)) patch[key] = is[key] ?? null
  return Object.keys(patch).length > 0 ? printJson(patch) : undefined
}

/** Removed metadata keys. Servers merge metadata, so they would stay. */
export function lostMetadata(before: CronDraft, after: CronDraft): string[] {
  const is = objectOf(after.metadata)
  return Object.keys(objectOf(before.metadata)).filter((key) => !Object.hasOwn(is, key))
}

const isSame = (left: string, right: string) => printJson(parseJson(left)) === printJson(parseJson(right))

function objectOf(text: string): Record<string, unknown> {
  const value = parseJson(text)
  return isRecord(value) ? value : {}
}

function filled(key: string, text: string): Record<string, unknown> {
  const value = objectOf(text)
  return Object.keys(value).length > 0 ? { [key]: value } : {}
}
