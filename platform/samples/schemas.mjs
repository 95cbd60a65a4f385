import { MessagesZodMeta } from '@langchain/langgraph'
import { registry } from '@langchain/langgraph/zod'
import { z } from 'zod'

// Described but not validated: an object schema would copy the fields of message objects, including their class's own.
const Message = z
  .any()
  .refine((value) => typeof value === 'object' && value !== null, 'A message is an object')
  .meta({
    type: 'object',
    properties: {
      role: { type: 'string', description: 'user, assistant, system or tool' },
      content: {},
    },
    additionalProperties: {},
  })

/**
 * The messages of a conversation; new ones are appended, one with a known id replaces the old one. `examples` are first
 * messages that a console can offer.
 */
export const conversation = (...examples) =>
  z
    .array(Message)
    .default(() => [])
    .meta({
      description: 'The conversation',
      ...(examples.length > 0 && { examples: examples.map((content) => [{ role: 'user', content }]) }),
    })
    // Last, because each further method would give a copy that the registry does not know.
    .register(registry, MessagesZodMeta)

/** How long the model waits before each word. */
export const delay_ms = z.number().int().min(0).max(2000).default(30).describe('Milliseconds between two words')
