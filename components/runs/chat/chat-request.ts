import type { JsonSchema } from '@/components/runs/start/schema/input-schema'
import type { StartOptions } from '@/components/runs/start/start-options'
import type { StartRequest } from '@/components/runs/start/start-request'

type Chat = {
  options: StartOptions
  assistant: string
  schema: JsonSchema | undefined
  json: string
  /** The message; undefined to send the JSON input. */
  text: string | undefined
  thread: string | undefined
}

/** The request of a conversation's next run. Loaded when it is sent, so that reading needs none of it. */
export async function chatRequest({ options, assistant, schema, json, text, thread }: Chat): Promise<StartRequest> {
  const [{ startRequest }, check] = await Promise.all([
    import('@/components/runs/start/start-request'),
    text === undefined ? import('@/components/runs/start/schema/input-check') : undefined,
  ])
  return startRequest(
    {
      ...options,
      assistant,
      threadKind: thread ? 'existing' : 'new',
      thread: thread ?? '',
      inputKind: text === undefined ? 'json' : 'message',
      message: text ?? '',
    },
    json,
    schema,
    check?.checkInput,
  )
}
