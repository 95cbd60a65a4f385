import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { type AskedAction, readAsk } from './answers'
import type { OpenInterrupt } from './questions'

/** A thread that needs input, as a list shows it: its request in a line, without its state. */
export type WaitingThread = {
  deployment: string
  deploymentName: string
  thread: string
  graph: string | null
  /** When it was last changed, so how long it has waited. ISO. */
  since: string | null
  /** Ids of its interrupts, without duplicates. Empty: it stopped at a breakpoint. Null: not known. */
  questions: string[] | null
  /** The first interrupt in a line. */
  asks: string
  /** What it is about, in a line: the arguments of an action, or what comes with a question. Empty if nothing does. */
  about: string
}

/**
 * A deployment whose threads could not be read; its listed threads are as old as `readAt` (epoch ms, null: never read).
 */
export type UnreadDeployment = { deployment: string; deploymentName: string; message: string; readAt: number | null }

/** The threads of a workspace that need input, oldest first. */
export type Inbox = {
  threads: WaitingThread[]
  unread: UnreadDeployment[]
  /** Names of deployments with more waiting threads than are read; the oldest are included. */
  cut: string[]
  /** Deployments not read yet; with very many, only some are read at a time. */
  pending: number
}
/**
 * The part that the navigation and Home show. `unreadName`: the first deployment that could not be read. `oldest`: since when
 * the first thread has waited, if its server says.
 */
export type InboxBrief = {
  threads: number
  unread: number
  unreadName: string | null
  isCut: boolean
  oldest: string | null
}

export const briefOf = ({ threads, unread, cut, pending }: Inbox): InboxBrief => ({
  threads: threads.length,
  unread: unread.length,
  unreadName: unread[0]?.deploymentName ?? null,
  isCut: cut.length > 0 || pending > 0,
  oldest: threads[0]?.since ?? null,
})

/** A waiting thread with everything an answer needs. */
export type WaitingDetail = {
  status: string | null
  assistant: string | null
  questions: Omit<OpenInterrupt, 'seq' | 'at'>[]
  /** Nodes that are left to run. */
  next: string[]
}

/** One answer, by its interrupt's id; `asked` is the interrupt as it was shown. */
export type GivenAnswer = { id: string; asked: unknown; answer: unknown }

const LINE = 160
const inLine = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > LINE ? `${line.slice(0, LINE - 1)}…` : line
}

const WORDS = ['question', 'message', 'prompt', 'title', 'text']
/** Which of the fields of a request says it in words. */
const wordsIn = (value: Record<string, unknown>): string | undefined =>
  WORDS.find((key) => {
    const text = value[key]
    return typeof text === 'string' && text.trim() !== ''
  })

/** The request of an interrupt of any shape, in a line. */
export function askLine(value: unknown): string {
  if (typeof value === 'string') return inLine(value)
  const ask = readAsk(value)
  if ('actions' in ask) return inLine(actionNames(ask.actions).join(', '))
  const words = isRecord(value) ? wordsIn(value) : undefined
  if (isRecord(value) && words) return inLine(String(value[words]))
  return inLine(printJson(value ?? null).slice(0, 4 * LINE))
}

/** Each action once, with how often it is asked for. */
function actionNames(actions: readonly AskedAction[]): string[] {
  const times = new Map<string, number>()
  for (const { name } of actions) times.set(name || 'an action', (times.get(name || 'an action') ?? 0) + 1)
  return [...times].map(([name, n]) => (n > 1 ? `${name} × ${n}` : name))
}

/** What the request of an interrupt is about, beyond its line. */
export function aboutLine(value: unknown): string {
  const ask = readAsk(value)
  if ('actions' in ask)
    return inLine(
      ask.actions
        .map(({ args }) => fieldsLine(args))
        .filter(Boolean)
        .join('; '),
    )
  const words = isRecord(value) ? wordsIn(value) : undefined
  if (!isRecord(value) || !words) return ''
  const { [words]: _, options, ...rest } = value
  return inLine(fieldsLine(rest))
}

/** The text by which a question is known that is shown in lines: ids are used again for later questions. */
export const shownAs = (id: string, asks: string, about: string): string => JSON.stringify([id, asks, about])
/** `shownAs` of an interrupt. */
export const shownQuestion = ({ id, value }: Pick<OpenInterrupt, 'id' | 'value'>): string =>
  shownAs(id, askLine(value), aboutLine(value))

const fieldsLine = (value: unknown): string =>
  isRecord(value)
    ? Object.entries(value)
        .map(([key, one]) => `${key}: ${(typeof one === 'string' ? one : printJson(one ?? null)).slice(0, 4 * LINE)}`)
        .join(', ')
    : ''
