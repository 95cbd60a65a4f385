import type { JsonSchema } from '@/components/runs/start/schema/takes-messages'
import type { StartOptions } from '@/components/runs/start/start-options'
import type { StartRequest } from '@/components/runs/start/start-request'
import type { Attachment } from './attachments'

type Chat = {
  options: StartOptions
  assistant: string
  schema: JsonSchema | undefined
  /** Whether the input may differ from the schema. */
  isForced?: boolean
  /** Without messages, JSON is entered in a form. */
  hasMessages?: boolean
  json: string | undefined
  /** The message; undefined to send the JSON input. */
  text: string | undefined
  /** What goes with the message: files, and content blocks of a message that is sent again. */
  files?: readonly Attachment[]
  blocks?: readonly Record<string, unknown>[]
  thread: string | undefined
  /** Whether the graph reads a configuration in place of a context. */
  isConfigured?: boolean
}

/** The request of a conversation's next run. Loaded when it is sent, so that reading needs none of it. */
export async function chatRequest(chat: Chat): Promise<StartRequest> {
  const { options, assistant, schema, json, text, files = [], blocks = [], thread } = chat
  const [{ startRequest }, check, input, attached] = await Promise.all([
    import('@/components/runs/start/start-request'),
    text === undefined ? import('@/components/runs/start/schema/input-check') : undefined,
    text === undefined && json === undefined ? import('@/components/runs/start/schema/input-schema') : undefined,
    files.length > 0 ? import('./attachments') : undefined,
  ])
  return startRequest(
    {
      ...options,
      assistant,
      isConfigured: chat.isConfigured,
      threadKind: thread ? 'existing' : 'new',
      thread: thread ?? '',
      inputKind: text === undefined ? 'json' : 'message',
      message: text ?? '',
      blocks: [...blocks, ...(attached ? files.map((file) => attached.blockOf(file, schema)) : [])],
    },
    json ?? input?.skeletonText(schema, !chat.hasMessages) ?? '{}',
    schema,
    chat.isForced ? undefined : check?.checkInput,
  )
}
