import { itemVersion, type MessageItem, messageItems } from '@/components/shared/message/message-items'
import { failureOf } from '@/lib/stream/failure'
import type { LogEntry } from '@/lib/stream/log'
import type { RunMessage } from '@/lib/stream/messages'
import { messagesOf, type RunView } from '@/lib/stream/run-view'

/** A notice between messages, in time order. */
export type Marker =
  /** `isSilent`: no message is known, before or after it. */
  | { kind: 'gap'; entry: Extract<LogEntry, { kind: 'gap' | 'joined' }>; isSilent: boolean }
  | { kind: 'attempt'; attempt: number }
  | { kind: 'error'; name: string; message: string }
  | { kind: 'interrupt'; id: string; value: unknown }
  | { kind: 'ended'; reason: string }

/** `version` is that of the item when the rows were built, so that all rows show the same moment. */
export type TranscriptRow = { key: string; seq: number } & (
  | { item: MessageItem<RunMessage>; version: number; marker?: undefined }
  | { marker: Marker; item?: undefined }
)

/** Messages and the notices between them, in order. `messages`: those of the whole conversation, if the run's are not all. */
export function transcriptRows(view: RunView, messages = messagesOf(view)): TranscriptRow[] {
  const markers = markersOf(view, messages.length === 0)
  const rows: TranscriptRow[] = []
  let next = 0
  const put = (before: number) => {
    for (let marker = markers[next]; marker && marker.seq < before; marker = markers[next]) {
      rows.push(marker)
      next++
    }
  }
  // First of all, even before the state that replaces the missed part.
  if (markers[0]?.marker?.kind === 'gap' && markers[0].marker.entry.kind === 'joined') put(markers[0].seq + 1)
  for (const item of messageItems(messages)) {
    // A message known only from a state has no time of its own, so it follows the message before it.
    if (item.message.firstSeq > 0) put(item.message.firstSeq)
    rows.push({ key: item.message.key, seq: item.message.firstSeq, item, version: itemVersion(item) })
  }
  put(Infinity)
  return rows
}

/** Stands for the missing result of a tool call, once the run has ended and no answer can continue it. */
export const noResultOf = (view: RunView): string | undefined =>
  view.final && view.final.outcome !== 'waiting' ? 'No result' : undefined

/** The rows without what a failure card says above them. */
export function besideFailure(rows: readonly TranscriptRow[], view: RunView): TranscriptRow[] {
  const failure = failureOf(view)
  const isSaid = (marker: Marker) =>
    marker.kind === 'error' || (marker.kind === 'ended' && marker.reason === failure?.message)
  return failure ? rows.filter(({ marker }) => !marker || !isSaid(marker)) : [...rows]
}

/** The rows without the questions, which a panel asks. */
export const besideQuestions = (rows: readonly TranscriptRow[]): TranscriptRow[] =>
  rows.filter(({ marker }) => marker?.kind !== 'interrupt')

function markersOf(view: RunView, isSilent: boolean): TranscriptRow[] {
  const found: TranscriptRow[] = [
    ...view.gaps.map((entry) => ({
      key: `gap-${entry.seq}`,
      seq: entry.seq,
      marker: { kind: 'gap' as const, entry, isSilent },
    })),
    ...view.attempts
      .filter(({ attempt }) => attempt > 1)
      .map(({ attempt, seq }) => ({ key: `attempt-${attempt}`, seq, marker: { kind: 'attempt' as const, attempt } })),
    ...[...view.interrupts.values()].map(({ id, value, seq }) => ({
      key: `interrupt-${id}`,
      seq,
      marker: { kind: 'interrupt' as const, id, value },
    })),
  ]
  if (view.error)
    found.push({
      key: 'error',
      seq: view.error.seq,
      marker: { kind: 'error', name: view.error.name, message: view.error.message },
    })
  if (view.final && view.reason)
    found.push({ key: 'ended', seq: view.final.seq, marker: { kind: 'ended', reason: view.reason } })
  return found.sort((a, b) => a.seq - b.seq)
}

/** The row that was being written at a log entry, or the last one before it; -1 if none. */
export function transcriptRowAt(rows: readonly TranscriptRow[], seq: number): number {
  const covering = rows.findLastIndex(
    ({ seq: first, item }) => item && first > 0 && first <= seq && item.message.lastSeq >= seq,
  )
  return covering !== -1 ? covering : rows.findLastIndex((row) => row.seq > 0 && row.seq <= seq)
}
