import { z } from 'zod'
import { JsonObject, objectOrEmpty, openEnum, searchPage, sortBy } from '../wire/fields'
import { ON_COMPLETION } from './run-options'
import { runFields } from './runs'

/** `payload` is the run request of each firing. `thread_id` is null if each firing gets a new thread. */
export const Cron = z.object({
  cron_id: z.string(),
  assistant_id: z.string().nullish(),
  thread_id: z.string().nullish(),
  on_run_completed: openEnum(ON_COMPLETION).nullish(),
  schedule: z.string(),
  timezone: z.string().nullish(),
  end_time: z.string().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  user_id: z.string().nullish(),
  payload: JsonObject.nullish(),
  next_run_date: z.string().nullish(),
  metadata: objectOrEmpty,
  enabled: z.boolean().nullish(),
})
export type Cron = z.output<typeof Cron>

/** Aegra starts a run when it creates a cron, and answers with that run instead of the cron. */
export const CreatedCron = z.union([
  Cron,
  z.object({ run_id: z.string(), created_at: z.string().nullish(), cron_id: z.undefined().optional() }),
])
export type CreatedCron = z.output<typeof CreatedCron>

/**
 * Minute, hour, day of month, month, day of week. Only the shape is checked; the server decides what the fields mean.
 */
const Schedule = z.string().regex(/^\S+(\s+\S+){4}$/, 'A schedule has five fields: minute, hour, day, month, weekday')

const cronFields = {
  ...runFields,
  schedule: Schedule,
  /** IANA name; UTC if absent. */
  timezone: z.string().nullish(),
  end_time: z.string().nullish(),
  enabled: z.boolean().nullish(),
}

/** Each firing runs on a new thread, which `keep` keeps. */
export const CronCreate = z.strictObject({ ...cronFields, on_run_completed: z.enum(ON_COMPLETION).nullish() })
export type CronCreate = z.output<typeof CronCreate>

/** Every firing runs on the given thread. The stateless form's key is accepted too, because clients send it. */
export const ThreadCronCreate = CronCreate
export type ThreadCronCreate = z.output<typeof ThreadCronCreate>

const { assistant_id: _fixed, ...changeable } = CronCreate.shape
export const CronPatch = z.strictObject({ ...changeable, schedule: Schedule.nullish() })
export type CronPatch = z.output<typeof CronPatch>

const filters = {
  assistant_id: z.string().nullish(),
  thread_id: z.string().nullish(),
  metadata: JsonObject.nullish(),
}

export const CronsSearch = z.strictObject({
  ...filters,
  enabled: z.boolean().nullish(),
  ...searchPage,
  ...sortBy('cron_id', 'assistant_id', 'thread_id', 'next_run_date', 'end_time', 'created_at', 'updated_at'),
  select: z.array(z.string()).nullish(),
})
export type CronsSearch = z.output<typeof CronsSearch>

export const CronsCount = z.strictObject(filters)
