import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { readAsk } from './answers'
import type { OpenInterrupt } from './questions'

/** A thread that waits for a human, as a list shows it: what it asks in a line, not its state. */
export type WaitingThread = {
  deployment: string
  deploymentName: string
  thread: string
  graph: string | null
  /** When it was changed last: since then it waits. ISO. */
  since: string | null
  /** Ids of its questions, each once. Empty: it stopped at a breakpoint. */
  questions: string[]
  /** The first question in a line. */
  asks: string
}

/** A deployment whose threads could not be read; what is listed of it is as old as `readAt` (epoch ms, null: never read). */
export type UnreadDeployment = { deployment: string; deploymentName: string; message: string; readAt: number | null }

/** What waits in a workspace, oldest first. */
export type Inbox = {
  threads: WaitingThread[]
  unread: UnreadDeployment[]
  /** Names of deployments with more waiting threads than are read; the oldest are here. */
  cut: string[]
  /** Deployments that were not asked yet: of very many, some at a time are. */
  pending: number
}
/** What the navigation shows of it. */
export type InboxBrief = { threads: number; unread: number; isCut: boolean }

export const briefOf = ({ threads, unread, cut, pending }: Inbox): InboxBrief => ({
  threads: threads.length,
  unread: unread.length,
  isCut: cut.length > 0 || pending > 0,
})

/** One waiting thread with all that an answer needs. */
export type WaitingDetail = {
  status: string | null
  assistant: string | null
  questions: Omit<OpenInterrupt, 'seq' | 'at'>[]
  /** Nodes that are left to run. */
  next: string[]
}

/** One answer, by the question's id; `asked` is the question as it was seen. */
export type GivenAnswer = { id: string; asked: unknown; answer: unknown }

const LINE = 160
const inLine = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > LINE ? `${line.slice(0, LINE - 1)}…` : line
}

/** What a question of any shape asks, in a line. */
export function askLine(value: unknown): string {
  if (typeof value === 'string') return inLine(value)
  const ask = readAsk(value)
  if ('actions' in ask) return inLine(ask.actions.map(({ name }) => name || 'an action').join(', '))
  if (isRecord(value))
    for (const key of ['question', 'message', 'prompt', 'title', 'text']) {
      const text = value[key]
      if (typeof text === 'string' && text.trim() !== '') return inLine(text)
    }
  return inLine(printJson(value ?? null).slice(0, 4 * LINE))
}
