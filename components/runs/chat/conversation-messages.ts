import { shownText } from '@/lib/format/hidden-characters'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { checkpointOf } from '@/lib/stream/checkpoint'
import type { RecordingSummary } from '@/lib/stream/log'
import { messageText, type RunMessage } from '@/lib/stream/messages'
import { messagesOf, type RunView } from '@/lib/stream/run-view'
import { Transcript } from '@/lib/stream/transcript'

type Base = { of: string; messages: readonly RunMessage[] }

/** What was said before the run `id`, if it is shown. Else all that is `stored`: another program may have written since. */
export const beforeOf = (
  base: Base | undefined,
  id: string | undefined,
  isRunShown: boolean,
  stored: readonly RunMessage[],
): readonly RunMessage[] => (isRunShown && base && base.of === id ? base.messages : stored)

/** The messages of a thread's state. */
export function stateMessages(values: unknown): readonly RunMessage[] {
  const transcript = new Transcript()
  transcript.reconcile(values, { namespace: [], node: undefined, attempt: 1, seq: 0, at: 0 }, true)
  return transcript.messages
}

/**
 * The conversation while a run writes it: `before` it and what it has written. As soon as the run tells its state, that
 * decides which messages there are, because a fork or the graph may have removed some.
 */
export function conversationOf(
  before: readonly RunMessage[],
  asked: readonly RunMessage[],
  view: RunView,
): readonly RunMessage[] {
  const own = messagesOf(view)
  if (view.reconciledSeq > 0) return own
  const written = new Set(own.map(({ key }) => key))
  // What was shown when the run began may already end with what it was asked.
  const said = new Set(before.map(({ key }) => key))
  return [
    ...before.filter(({ key }) => !written.has(key)),
    ...asked.filter(({ key }) => !said.has(key) && !written.has(key)),
    ...own,
  ]
}

/**
 * What a thread was asked first, as it titles it: empty if it has no such message, null if its messages could not be read, and
 * undefined until they are known.
 */
export function openingOf(
  messages: readonly RunMessage[],
  state: { isPending: boolean; hasFailed: boolean },
): string | null | undefined {
  const first = messages.find(({ role }) => role === 'human')
  if (first) return messageText(first)
  return state.hasFailed ? null : state.isPending ? undefined : ''
}

/** The run that wrote a thread's state with its input in it. A checkpoint of the source `input` does not have it yet. */
export function writerOf(metadata: { readonly [key: string]: unknown } | null | undefined): string | undefined {
  const { run_id: run, source } = metadata ?? {}
  return typeof run === 'string' && source !== 'input' ? run : undefined
}

/** The human messages of a run's request, to show until the run tells its state. */
export function askedIn(request: string, id: string): readonly RunMessage[] {
  const input = inputOf(request)
  const list = isRecord(input) && Array.isArray(input.messages) ? input.messages : []
  return stateMessages({ messages: list.map((one, at) => (isRecord(one) ? { ...one, id: `asked-${id}-${at}` } : one)) })
}

const NAME_LENGTH = 40
const names = new WeakMap<object, string>()

/** A run's name in a list: what it was asked. A number would count only the runs that are listed. */
export function nameOfRun(summary: Pick<RecordingSummary, 'request'>): string {
  let name = names.get(summary)
  if (name === undefined) {
    const asked = askedIn(summary.request, '').findLast(({ role }) => role === 'human')
    const text = (asked ? messageText(asked) : '').replace(/\s+/g, ' ').trim()
    name = shownText(text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH).trim()}…` : text) || 'Run'
    names.set(summary, name)
  }
  return name
}

function inputOf(request: string): unknown {
  try {
    const body = parseJson(request)
    return isRecord(body) ? body.input : undefined
  } catch {
    return undefined
  }
}

type Stored = { data?: { checkpoint?: { checkpoint_id?: string | null } | null }; dataUpdatedAt: number }

/**
 * Whether the run still describes the thread: it is active, or the thread's state is the one that it left. `endedAt`: when
 * this page saw its end; a state read before that is older than the run.
 */
export function isRunCurrent(view: RunView, stored: Stored, isActive: boolean, endedAt = 0): boolean {
  if (isActive) return true
  if (!view.final) return false
  const now = stored.data?.checkpoint?.checkpoint_id
  if (!now || stored.dataUpdatedAt < endedAt) return true
  const left = leftBy(view.final)
  return left === undefined ? view.reconciledSeq > 0 : left === now
}

const lefts = new WeakMap<object, string | undefined>()

/** The checkpoint that a run left. */
function leftBy(final: NonNullable<RunView['final']>): string | undefined {
  if (!lefts.has(final)) {
    let state: unknown
    try {
      state = JSON.parse(final.state ?? 'null')
    } catch {
      state = undefined
    }
    lefts.set(final, checkpointOf(state))
  }
  return lefts.get(final)
}
