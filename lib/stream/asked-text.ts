import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'
import { readMessage } from './wire-message'

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

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST)
