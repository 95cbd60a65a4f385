import { z } from 'zod'
import { JsonObject } from '../wire/fields'

/** Event streaming, protocol v2: one stream of a thread's events, with separate commands. Newer servers only. */

export const EVENT_CHANNELS = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
] as const

/** `custom:<name>` is a channel too, so any name is valid. `since` resumes after a sequence number. */
export const ThreadEventsSubscription = z.strictObject({
  channels: z.array(z.string().min(1)).min(1),
  namespaces: z.array(z.array(z.string())).nullish(),
  depth: z.int().min(0).nullish(),
  since: z.int().min(0).nullish(),
})
export type ThreadEventsSubscription = z.output<typeof ThreadEventsSubscription>

export const COMMAND_METHODS = [
  'run.start',
  'input.respond',
  'input.inject',
  'agent.getTree',
  'state.get',
  'state.listCheckpoints',
  'state.fork',
] as const

/** The response is a 200 with `type: 'success'` or `type: 'error'`. */
export const ThreadCommand = z.strictObject({
  id: z.union([z.string(), z.number()]),
  method: z.string().min(1),
  params: JsonObject.nullish(),
})
export type ThreadCommand = z.output<typeof ThreadCommand>
