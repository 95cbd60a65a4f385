import 'server-only'
import { z } from 'zod'

const mark = z.string().max(64)

/** The state that the user saw, sent back by the browser. It decides only whether an edit conflicts and what to show then. */
export const Seen = z.strictObject({
  digest: mark,
  marks: z.array(z.strictObject({ name: z.string().max(1_000_000), mark })).max(10_000),
  updatedAt: z.string().max(100).nullable(),
  latestRevision: z.string().max(300).nullable(),
})
