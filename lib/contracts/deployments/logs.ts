import { z } from 'zod'
import { openEnum, queryInt, SORT_ORDERS } from '../wire/fields'

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const
export const LOG_TYPES = ['build', 'deploy'] as const

/** `timestamp` is epoch milliseconds or text, depending on the server. */
export const LogEntry = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  level: openEnum(LOG_LEVELS).nullish(),
  message: z.string().nullish(),
  /** Only the embedded platform tells these two. */
  run_id: z.string().nullish(),
  revision_id: z.string().nullish(),
})
export type LogEntry = z.output<typeof LogEntry>

/** A line with its number from `POST /api/live`. */
export type LogLine = LogEntry & { seq: number }

/** `next_offset` is an opaque cursor; absent or null at the end. */
export const LogsPage = z.object({
  logs: z.array(LogEntry),
  next_offset: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((cursor) => (cursor == null ? null : String(cursor))),
})
export type LogsPage = z.output<typeof LogsPage>

export const LogsSearchPage = z.object({ items: z.array(LogEntry), next_cursor: z.string().nullish() })
export type LogsSearchPage = z.output<typeof LogsSearchPage>

const common = {
  start_time: z.string().optional(),
  end_time: z.string().optional(),
  query: z.string().optional(),
  level: z.enum(LOG_LEVELS).optional(),
  run_id: z.string().optional(),
}

export const ListRevisionLogsQuery = z.strictObject({
  type: z.enum(LOG_TYPES),
  ...common,
  order: z.enum(SORT_ORDERS).default('asc'),
  limit: queryInt(1, 1000).default(50),
  /** `next_offset` of the previous page, unchanged. */
  offset: z.string().optional(),
})
export type ListRevisionLogsQuery = z.output<typeof ListRevisionLogsQuery>

export const SearchDeploymentLogsQuery = z.strictObject({
  deployment_id: z.string().min(1),
  revision_id: z.string().optional(),
  log_type: z.enum(['BUILD', 'DEPLOY']).default('DEPLOY'),
  ...common,
  sort_order: z.enum(SORT_ORDERS).optional(),
  page_size: queryInt(1, 100).default(20),
  cursor: z.string().optional(),
})
