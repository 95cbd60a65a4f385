import 'server-only'
import { z } from 'zod'
import { LOG_LEVELS, LOG_TYPES } from '@/lib/contracts/deployments/logs'
import { MAX_SUBSCRIPTIONS, type Subscription } from '@/lib/contracts/wire/live'

const name = z.string().min(1).max(300)
const query = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
const base = { id: name, workspace: name }

const One = z.discriminatedUnion('kind', [
  z.strictObject({
    ...base,
    kind: z.literal('recording'),
    recording: name,
    cursor: z.int().min(0),
    epoch: z.int().min(0).optional(),
  }),
  z.strictObject({ ...base, kind: z.literal('recordings'), deployment: name.optional() }),
  z.strictObject({ ...base, kind: z.literal('runs'), query }),
  z.strictObject({
    ...base,
    kind: z.literal('deployments'),
    query,
  }),
  z.strictObject({ ...base, kind: z.literal('deployment'), deployment: name }),
  z.strictObject({ ...base, kind: z.literal('revisions'), deployment: name, query: query.optional() }),
  z.strictObject({ ...base, kind: z.literal('revision'), deployment: name, revision: name }),
  z.strictObject({
    ...base,
    kind: z.literal('logs'),
    deployment: name,
    revision: name.optional(),
    type: z.enum(LOG_TYPES),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    level: z.enum(LOG_LEVELS).optional(),
    query: z.string().min(1).max(300).optional(),
    cursor: z.int().min(0),
    epoch: z.int().min(0).optional(),
  }),
  z.strictObject({ ...base, kind: z.literal('thread'), deployment: name, thread: name }),
  z.strictObject({ ...base, kind: z.literal('inbox'), isBrief: z.boolean().optional() }),
])

/** The body of `POST /api/live`. */
export const LivePost = z.strictObject({
  subscriptions: z
    .array(One)
    .min(1)
    .max(MAX_SUBSCRIPTIONS)
    .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, 'Each subscription needs its own id.'),
}) satisfies z.ZodType<{ subscriptions: Subscription[] }>
