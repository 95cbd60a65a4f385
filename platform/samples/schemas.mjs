import { MessagesZodMeta } from '@langchain/langgraph'
import { registry } from '@langchain/langgraph/zod'
import { z } from 'zod'

const Message = z.looseObject({
  role: z.string().optional().describe('user, assistant, system or tool'),
  content: z.unknown().optional(),
})

/** The list of messages of a conversation; new ones are appended, one with a known id takes the old one's place. */
// `register` comes last: each further method would give a copy that the registry does not know.
export const messages = z
  .array(Message)
  .default(() => [])
  .describe('The conversation')
  .register(registry, MessagesZodMeta)

/** How long the model waits before each word. */
export const delay_ms = z.number().int().min(0).max(2000).default(30).describe('Milliseconds between two words')
