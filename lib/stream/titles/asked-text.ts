import { isRecord, isUuid } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'
import type { RecordingSummary } from '../log'
import { readMessage } from '../wire-message'

const LONGEST = 200

/** What a recorded run was asked. `request` may be cut, and then tells nothing. */
export function askedText(request: string): string | undefined {
  try {
    const body = parseJson(request)
    return (isRecord(body) && inputText(body.input)) || undefined
  } catch {
    return undefined
  }
}

/** The last message of an input, or the input as JSON. */
function inputText(input: unknown): string {
  if (input === null || input === undefined || (isRecord(input) && Object.keys(input).length === 0)) return ''
  const messages = isRecord(input) ? input.messages : undefined
  const said = readMessage(Array.isArray(messages) ? messages.at(-1) : messages)
  const text = said?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') ?? ''
  return oneLine(text || (typeof messages === 'string' ? messages : jsonText(input)))
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

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST)
