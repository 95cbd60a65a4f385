import type { Thread } from '@/lib/contracts/agents/threads'
import { isRecord, isUuid } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'
import { RECORDING_KEY, type RecordingSummary } from './log'
import { plainMarkdown } from './plain-markdown'
import { readMessage } from './wire/wire-message'

/** The messages that give a thread its title and preview. */
export const THREAD_EXTRACT = { first: 'values.messages[0]', last: 'values.messages[-1]' }

/** Added to what was extracted by this console's server, see `textIn`. */
export const VALUES_TEXT = 'values_text'
export const VALUES_PREVIEW = 'values_preview'

export const UNTITLED = 'Untitled thread'

export type ThreadRow = {
  id: string
  title: string
  preview: string
  status: Thread['status']
  at: string | null | undefined
}
export type ThreadGroup = { label: string; rows: ThreadRow[] }

/** A thread of a workspace's list. Thread ids are unique only within a deployment. */
export type WorkspaceThread = ThreadRow & { deployment: string; deploymentName: string; graph: string | null }

/** A page of a workspace's threads: those that need input first, then the newest. */
export type WorkspaceThreads = {
  rows: WorkspaceThread[]
  hasNext: boolean
  /** How many threads were read, in how many deployments. */
  threads: number
  deployments: number
  /** Some deployments have more threads than were read. */
  isCut: boolean
  /** Deployments whose servers have not answered yet. */
  pending: string[]
  /** Deployments whose servers return no messages, so that only metadata gives a title. */
  untitled: string[]
  /** `keptAt`: its threads are listed as they were read then, in epoch ms. They do not count as read. */
  problems: { deployment: string; name: string; message: string; keptAt?: number }[]
}

/** The most threads that are read of one deployment. */
export const MAX_LISTED = 3_000
/** Of how many threads of a deployment the messages are searched; the first is the default. */
export const SEARCH_DEPTHS = [100, 300] as const

/** The orders of a workspace's list, the default first. Within each deployment too, those that need input come first. */
export const THREAD_ORDERS = ['updated', 'deployment'] as const

const LONGEST = 80

/** The fields of a graph's input, by its schema, that may give a thread without messages its title; lists only without others. */
export function titleFields(inputSchema: unknown): string[] {
  const fields = isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {}
  const names = Object.keys(fields).filter((name) => name !== 'messages' && /^[\w-]{1,60}$/.test(name))
  const isLong = (name: string) => {
    const field = fields[name]
    return isRecord(field) && ['array', 'object'].includes(String(field.type))
  }
  const short = names.filter((name) => !isLong(name))
  return short.length > 0 ? short.slice(0, MOST_FIELDS) : names.slice(0, 1)
}
const MOST_FIELDS = 6

/** The fields of a graph's output that may preview a thread without messages: short ones that its title does not use. */
export function previewFields(outputSchema: unknown, title: readonly string[]): string[] {
  const fields = isRecord(outputSchema) && isRecord(outputSchema.properties) ? outputSchema.properties : {}
  const isShort = (name: string) => {
    const field = fields[name]
    return isRecord(field) && ['string', 'number', 'integer', 'boolean'].includes(String(field.type))
  }
  const names = Object.keys(fields).filter((name) => name !== 'messages' && /^[\w-]{1,60}$/.test(name))
  return names.filter((name) => isShort(name) && !title.includes(name)).slice(0, MOST_FIELDS)
}

/** The preview that values give: their last text, else their short values by name. Nothing that the title says. */
export function valuesPreview(values: unknown, title: string): string {
  if (!isRecord(values) || !isNothing(values.messages)) return ''
  const known = Object.entries(values).filter(([name, value]) => !name.startsWith('__') && !isNothing(value))
  const texts = known.flatMap(([, value]) => (typeof value === 'string' ? oneLine(value) : []))
  const text = texts.findLast((one) => one !== '' && one !== title)
  if (text !== undefined) return text
  const short = known.filter(
    ([name, value]) => ['number', 'boolean'].includes(typeof value) && !title.includes(`"${name}"`),
  )
  return oneLine(short.map(([name, value]) => `${name}: ${value}`).join(', '))
}

/** The title that values give without a human message: the first text in them, else their beginning as JSON. */
export function valuesText(values: unknown): string {
  if (!isRecord(values)) return ''
  const known = Object.entries(values).filter(
    ([name, value]) => name !== 'messages' && !name.startsWith('__') && !isNothing(value),
  )
  const text = known.map(([, value]) => value).find((value) => typeof value === 'string' && value.trim() !== '')
  if (typeof text === 'string') return oneLine(text)
  return known.length > 0 && isNothing(values.messages) ? oneLine(jsonText(Object.fromEntries(known))) : ''
}

const isNothing = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** A thread as a row: its title from the metadata, the first human message or its values, and its last message. */
export function threadRow(thread: Thread): ThreadRow {
  const first = readMessage(thread.extracted?.first)
  const last = readMessage(thread.extracted?.last)
  const asked = first?.role === 'human' ? textOf(first.parts) : ''
  const written = textOf(last?.parts ?? []) || (last?.toolCalls[0] ? `${last.toolCalls[0].name}(…)` : '')
  const preview = written || textIn(thread.extracted, VALUES_PREVIEW)
  const title = titleOf(thread.metadata, asked || textIn(thread.extracted)) || UNTITLED
  const shown = oneLine(preview === asked ? '' : plainMarkdown(preview))
  return {
    id: thread.thread_id,
    title,
    preview: shown === title ? '' : shown,
    status: thread.status,
    at: thread.updated_at ?? thread.created_at,
  }
}

/** Whether the first message of a thread gives it a title. */
export const isAsked = (extracted: Thread['extracted']): boolean => readMessage(extracted?.first)?.role === 'human'

/** What this console's server has found in the values of a thread without messages. */
export function textIn(extracted: Thread['extracted'], what = VALUES_TEXT): string {
  const found = extracted?.[what]
  return typeof found === 'string' ? found : ''
}

/** A thread's title: its metadata's, or what it was asked first. */
export function titleOf({ title, name, thread_name }: Thread['metadata'], asked: string): string {
  const given = [title, name, thread_name].find((one): one is string => typeof one === 'string' && one.trim() !== '')
  return oneLine(given ?? asked)
}

/** The texts of a thread's messages, from the value of its `messages`. */
export const messageTexts = (messages: unknown): string[] =>
  Array.isArray(messages) ? messages.flatMap((one) => textOf(readMessage(one)?.parts ?? []) || []) : []

/** The part of a text around its first match, in any case; undefined without one. */
export function excerptOf(text: string, sought: string): string | undefined {
  const at = text.toLowerCase().indexOf(sought.toLowerCase())
  if (at < 0) return undefined
  const from = Math.max(0, at - LONGEST / 4)
  return `${from > 0 ? '…' : ''}${oneLine(text.slice(from, from + 4 * LONGEST))}`
}

const HIDDEN = new Set(['graph_id', 'assistant_id', 'title', 'name', 'thread_name', 'run_id', RECORDING_KEY])

/** Metadata that users have set, in one line. What the servers or this console set is left out. */
export const ownMetadata = (metadata: Thread['metadata']): string =>
  Object.entries(metadata)
    .filter(([key, value]) => !HIDDEN.has(key) && !key.startsWith('langgraph_') && !isSystems(key, value))
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

/** Servers copy it from the assistants that they make of their graphs. */
const isSystems = (key: string, value: unknown) => key === 'created_by' && value === 'system'

type Parts = NonNullable<ReturnType<typeof readMessage>>['parts']
const textOf = (parts: Parts): string => parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
function oneLine(text: string): string {
  // More than that would be seen nowhere, and a text may be megabytes.
  const line = text
    .slice(0, 100 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}

const DAY_MS = 86_400_000
export const NEEDS_INPUT = 'Needs input'

/** The rows by urgency and day: those that need input first. `now` is in the reader's own time zone. */
export function threadGroups(rows: readonly ThreadRow[], now: Date): ThreadGroup[] {
  const labels = [NEEDS_INPUT, 'Today', 'Yesterday', 'Earlier'] as const
  const labelOf = (row: ThreadRow) => {
    const day = dayOf(row, now)
    return labels.find((label) => label === day) ?? 'Earlier'
  }
  return labels.flatMap((label) => {
    const own = rows.filter((row) => labelOf(row) === label)
    return own.length > 0 ? [{ label, rows: own }] : []
  })
}

const DAY = { weekday: 'long', day: 'numeric', month: 'long' } as const
const DAY_AND_YEAR = { day: 'numeric', month: 'long', year: 'numeric' } as const
const formatsOf = (zone?: { timeZone: string }) => ({
  ofThisYear: new Intl.DateTimeFormat('en-GB', { ...DAY, ...zone }),
  ofOthers: new Intl.DateTimeFormat('en-GB', { ...DAY_AND_YEAR, ...zone }),
})
const FORMATS = { local: formatsOf(), UTC: formatsOf({ timeZone: 'UTC' }) }

/**
 * The heading above a row in a list by day: “Needs input”, “Today”, “Monday 23 November”. Days are those of the reader, or of
 * UTC while their time zone is unknown.
 */
export function dayOf(
  { status, at }: Pick<ThreadRow, 'status' | 'at'>,
  now: Date,
  zone: keyof typeof FORMATS = 'local',
): string {
  if (status === 'interrupted') return NEEDS_INPUT
  const time = at ? Date.parse(at) : Number.NaN
  if (Number.isNaN(time)) return 'Date unknown'
  const yearOf = (date: Date) => (zone === 'UTC' ? date.getUTCFullYear() : date.getFullYear())
  const today =
    zone === 'UTC'
      ? Date.UTC(yearOf(now), now.getUTCMonth(), now.getUTCDate())
      : new Date(yearOf(now), now.getMonth(), now.getDate()).getTime()
  if (time >= today) return 'Today'
  if (time >= today - DAY_MS) return 'Yesterday'
  const { ofThisYear, ofOthers } = FORMATS[zone]
  return (yearOf(new Date(time)) === yearOf(now) ? ofThisYear : ofOthers).format(time)
}

/** Of what a run was asked. */
const LONGEST_INPUT = 200

/** What a recorded run was asked. `request` may be cut, and then tells nothing. */
export function askedText(request: string): string | undefined {
  try {
    const body = parseJson(request)
    return (isRecord(body) && (inputText(body.input) || answerText(body.command))) || undefined
  } catch {
    return undefined
  }
}

/** The last message of an input, its text, or the input as JSON. */
function inputText(input: unknown): string {
  if (isNothing(input)) return ''
  if (typeof input === 'string') return firstWords(input)
  const messages = isRecord(input) ? input.messages : input
  const said = readMessage(Array.isArray(messages) ? messages.at(-1) : messages)
  const text = said?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') ?? ''
  return firstWords(text || (typeof messages === 'string' ? messages : jsonText(input)))
}

/** What answers the questions of the run before, each by itself or under its question's id. */
function answerText(command: unknown): string {
  const answer = isRecord(command) ? command.resume : undefined
  if (answer === null || answer === undefined) return ''
  const isById = isRecord(answer) && Object.keys(answer).every((key) => /^[0-9a-f]{32}$/.test(key))
  const answers = isById ? Object.values(answer) : [answer]
  return firstWords(`Answer: ${answers.map((one) => (typeof one === 'string' ? one : jsonText(one))).join(', ')}`)
}

/** What a recording is called where only its file is known: what it was asked, else its graph and start. */
export function recordingTitle({
  assistant,
  request,
  startedAt,
}: Pick<RecordingSummary, 'assistant' | 'request' | 'startedAt'>): string {
  const at = new Date(startedAt)
  const time = Number.isNaN(at.getTime()) ? '' : ` of ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return askedText(request) ?? `${assistant && !isUuid(assistant) ? assistant : 'Run'}${time}`
}

export const firstWords = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_INPUT)

/** The first line of an error, which may have a stack. */
export const firstLine = (text: string): string => firstWords(text.trim().split('\n', 1)[0] ?? '')
