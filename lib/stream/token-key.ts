import { isRecord } from '@/lib/json/guards'
import { parseEventName } from './wire/namespaces'
import { readMessage } from './wire/wire-message'

/** Part of a message that an event carries: which message, and its words so far or the next ones. */
export type Token = { key: string; text: string; isWhole: boolean }

const MODES = ['messages', 'messages/partial', 'events']

/** Whether events of that name can be tokens. */
export const canBeToken = (event: string): boolean => MODES.includes(parseEventName(event).mode)

/** The event's part of a message; undefined for everything but tokens. */
export function tokenOf(event: string, data: string): Token | undefined {
  const { mode, path } = parseEventName(event)
  if (!MODES.includes(mode)) return undefined
  if (mode === 'events' && !/"event"\s*:\s*"on_chat_model_stream"/.test(data)) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(data)
  } catch {
    return undefined
  }
  const isCall = mode === 'events'
  const value = Array.isArray(parsed) ? parsed[0] : isRecord(parsed) && isRecord(parsed.data) ? parsed.data.chunk : null
  const message = readMessage(value)
  const id = isCall && isRecord(parsed) && typeof parsed.run_id === 'string' ? parsed.run_id : message?.id
  if (!message || !id || (mode === 'messages' && !message.isChunk)) return undefined
  const text = message.parts.map((part) => (part.kind === 'block' ? '' : part.text)).join('')
  const words = text || message.toolCalls.map(({ name, args }) => `${name}${args}`).join('')
  return { key: `${mode} ${path} ${id}`, text: words, isWhole: mode === 'messages/partial' }
}
