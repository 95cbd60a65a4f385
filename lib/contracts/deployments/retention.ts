import { z } from 'zod'

/** How long data of deployments is kept, and what it takes. Null limits keep it for good. */
const Kept = z.object({
  max_age_days: z.number().nullable(),
  /** Of one deployment, or of one tracing project. */
  max_bytes: z.number().nullable(),
  count: z.number(),
  bytes: z.number(),
  /** What the tables of all take, with indexes and room for new rows. Null from a platform that does not tell. */
  disk_bytes: z.number().nullable().default(null),
  /** The deployment or project that takes most; what it added in the last seven days, or since its first run. */
  largest: z
    .object({ name: z.string(), bytes: z.number(), recent_bytes: z.number(), recent_days: z.number() })
    .nullable(),
  /** Set by the operator, so that it cannot be changed here. */
  is_fixed: z.boolean(),
})
export type Kept = z.output<typeof Kept>

export const PlatformRetention = z.object({ traces: Kept, runs: Kept })
export type PlatformRetention = z.output<typeof PlatformRetention>

const DAYS = 'Enter a whole number of days from 1 to 3650.'
const SIZE = 'Enter a size of at least 1 MB.'
const days = z.int(DAYS).min(1, DAYS).max(3650, DAYS)
const bytes = z.int(SIZE).min(1_000_000, SIZE).max(1e15, SIZE)

export const RetentionPatch = z.strictObject({
  traces: z.strictObject({ max_age_days: days, max_bytes: bytes }).optional(),
  runs: z.strictObject({ max_age_days: days.nullable(), max_bytes: bytes.nullable() }).optional(),
})
export type RetentionPatch = z.output<typeof RetentionPatch>
