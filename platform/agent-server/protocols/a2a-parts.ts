import type { Artifact, Message, Part } from '@a2a-js/sdk'
import { isRecord } from '@/lib/json/guards'
import { lastMessageText, messagesOf, textOf } from '../threads/message-text'

/** Converts between a graph's values and A2A message parts, in protocol version 1 (lf.a2a.v1). */

type Json = Record<string, unknown>

// Numbers of the protocol's enums, because the SDK's own would have to be loaded at startup.
const ROLE_USER = 1
const ROLE_AGENT = 2

const part = (content: Part['content']): Part => ({ content, metadata: undefined, filename: '', mediaType: '' })
const textPart = (value: string): Part => part({ $case: 'text', value })
/** Older clients accept objects only. */
const dataPart = (value: unknown): Part =>
  part({
    $case: 'data',
    value: isRecord(value) ? value : { value },
  })

export const partOf = (value: unknown): Part => (typeof value === 'string' ? textPart(value) : dataPart(value))

/** A message's content for a graph: its text, and its data in one object. `isOther`: it has files, which graphs do not accept. */
export function readParts(message: Message): { text: string; data: Json | undefined; isOther: boolean } {
  const texts: string[] = []
  let data: Json | undefined
  let isOther = false
  for (const { content } of message.parts)
    if (content?.$case === 'text') texts.push(content.value)
    else if (content?.$case === 'data' && typeof content.value === 'object' && content.value !== null)
      data = { ...data, ...(content.value as Json) }
    else isOther = true
  return { text: texts.join('\n'), data, isOther }
}

type Place = { taskId: string; contextId: string }

const messageOf = (role: number, messageId: string, parts: Part[], place: Place): Message => ({
  messageId,
  ...place,
  role,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
})

export const agentMessage = (messageId: string, parts: Part[], place: Place): Message =>
  messageOf(ROLE_AGENT, messageId, parts, place)

/** The text of the conversation, oldest first; the graph's input if it has no conversation. */
export function historyOf(values: unknown, input: unknown, place: Place): Message[] {
  const messages = messagesOf(values)
  if (!messages)
    return input === undefined || input === null
      ? []
      : [messageOf(ROLE_USER, `${place.taskId}-input`, [partOf(input)], place)]
  return messages.flatMap(({ id, type, content }, index) => {
    const text = textOf(content)
    if (text === '' || (type !== 'human' && type !== 'ai')) return []
    return [
      messageOf(type === 'ai' ? ROLE_AGENT : ROLE_USER, id ?? `${place.taskId}-${index}`, [textPart(text)], place),
    ]
  })
}

/** The result of a run: the agent's last message, and the rest of the state. */
export function artifactsOf(values: unknown, taskId: string): Artifact[] {
  const { messages: _, ...rest } = (messagesOf(values) ? values : { values }) as Json
  const text = lastMessageText(values)
  const data = messagesOf(values) ? rest : values
  const hasData = typeof data !== 'object' || data === null || Object.keys(data).length > 0
  const parts = [...(text === undefined ? [] : [textPart(text)]), ...(hasData ? [dataPart(data)] : [])]
  return parts.length > 0 ? [artifact(taskId, parts)] : []
}

/** One artifact id per task, so that the final result replaces the streamed text. */
export const artifact = (taskId: string, parts: Part[]): Artifact => ({
  artifactId: `${taskId}-response`,
  name: 'response',
  description: '',
  parts,
  metadata: undefined,
  extensions: [],
})
