import 'server-only'
import { z } from 'zod'

const mark = z.string().max(64)

/** What a browser sends back of what its person saw. It decides nothing but whether an edit is sent, and what a conflict shows. */
export const Seen = z.strictObject({
  digest: mark,
  marks: z.array(z.strictObject({ name: z.string().max(1_000_000), mark })).max(10_000),
  updatedAt: z.string().max(100).nullable(),
  latestRevision: z.string().max(300).nullable(),
})
