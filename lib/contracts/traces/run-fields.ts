import { z } from 'zod'

/** Fields that several schemas of traces have. */

export const TRACE_RUN_TYPES = ['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'] as const
/** `interrupted`: it ended by asking a person; `cancelled`. Embedded platform only; elsewhere they are a success or an error. */
export const TRACE_RUN_STATUSES = ['success', 'error', 'pending', 'interrupted', 'cancelled'] as const

/** ISO text with microseconds, or epoch milliseconds: one SDK sends both in one record. */
export const Time = z.union([z.string(), z.number()])

export const tags = z.array(z.string()).nullish()
export const count = z.number().nullish()
/** Decimal text, so that no digit is lost. */
export const cost = z.union([z.string(), z.number()]).nullish()
