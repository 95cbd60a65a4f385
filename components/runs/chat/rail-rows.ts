import type { Thread } from '@/lib/contracts/agents/threads'
import { readMessage } from '@/lib/stream/wire-message'

/** What the list of threads asks for: never the whole values, which may be megabytes. */
export const RAIL_SEARCH = {
  limit: 30,
  sort_by: 'updated_at',
  sort_order: 'desc',
  select: ['thread_id', 'status', 'created_at', 'updated_at', 'metadata'],
  extract: { first: 'values.messages[0]', last: 'values.messages[-1]' },
} as const

export type RailRow = {
  id: string
  title: string
  preview: string
  status: Thread['status']
  at: string | null | undefined
}
export type RailGroup = { label: string; rows: RailRow[] }

const LONGEST = 80

/** A thread as a row: its title from the metadata or the first human message, and its last message. */
export function railRow(thread: Thread): RailRow {
  const first = readMessage(thread.extracted?.first)
  const last = readMessage(thread.extracted?.last)
  const asked = first?.role === 'human' ? textOf(first.parts) : ''
  const preview = textOf(last?.parts ?? []) || (last?.toolCalls[0] ? `${last.toolCalls[0].name}(…)` : '')
  return {
    id: thread.thread_id,
    title: titleOf(thread.metadata, asked) || 'Untitled thread',
    preview: oneLine(preview === asked ? '' : preview),
    status: thread.status,
    at: thread.updated_at,
  }
}

/** A thread's title: its metadata's, or what it was asked first. */
export function titleOf({ title, name }: Thread['metadata'], asked: string): string {
  const given = [title, name].find((one): one is string => typeof one === 'string' && one.trim() !== '')
  return oneLine(given ?? asked)
}

type Parts = NonNullable<ReturnType<typeof readMessage>>['parts']
const textOf = (parts: Parts): string => parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST)

const DAY_MS = 86_400_000

/** The rows by urgency and day: those that need input first. `now` is in the reader's own time zone. */
export function railGroups(rows: readonly RailRow[], now: Date): RailGroup[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const labelOf = ({ status, at }: RailRow): string => {
    if (status === 'interrupted') return LABELS[0]
    const time = at ? Date.parse(at) : Number.NaN
    if (time >= today) return LABELS[1]
    return time >= today - DAY_MS ? LABELS[2] : LABELS[3]
  }
  return LABELS.flatMap((label) => {
    const own = rows.filter((row) => labelOf(row) === label)
    return own.length > 0 ? [{ label, rows: own }] : []
  })
}
const LABELS = ['Needs input', 'Today', 'Yesterday', 'Earlier'] as const
