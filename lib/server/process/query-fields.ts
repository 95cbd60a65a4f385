import 'server-only'
import { z } from 'zod'
import { isMoment } from '@/lib/format/moment'

// Fields of the queries of our own lists.

/** A text, without blanks around it. */
export const queryText = z.string().trim().max(300)

/** A time as `readMoment` reads it. */
export const queryMoment = queryText.refine(isMoment, 'Write a date, or 90m, 24h, 7d.')
