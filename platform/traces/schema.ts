import { type SQL, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  index,
  jsonb,
  numeric,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { platformSchema, tracingProjects } from '../kernel/schema'

/**
 * Logged runs, one row each with the columns for lists and totals; these are generated, because a run arrives in parts
 * and in any order. Inputs, outputs and events are compressed in a separate table that lists never read.
 */

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 6, mode: 'string' })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** Bytewise collation, the only one in which dotted orders sort into the tree. */
const orderedText = customType<{ data: string }>({ dataType: () => 'text collate "C"' })
const double = customType<{ data: number }>({ dataType: () => 'double precision' })
const textList = customType<{ data: string[] }>({ dataType: () => 'text[]' })
const words = customType<{ data: string }>({ dataType: () => 'tsvector' })

/**
 * Null if the clock went backwards, except within a millisecond: SDKs order siblings by the microseconds of their
 * start, while ends have whole milliseconds.
 */
const msBetween = (start: string, end: string): SQL => {
  const seconds = `extract(epoch from ${end} - ${start})::double precision`
  return sql.raw(`case when ${seconds} > -0.001 then greatest(${seconds}, 0) * 1000 end`)
}

/** The runs that call a model. Their parents repeat the tokens. */
export const MODEL_TYPES_TEXT = `run_type in ('llm', 'embedding')`

/** The last segment of a dotted order: time and run id. A whole one can exceed the size of an index row. */
export const OWN_ORDER_TEXT = `coalesce(right(dotted_order, 58), '')`

/** Other runs than models whose logged cost may be their own: one with tokens repeats runs below it. */
const MAY_COST_TEXT =
  "total_cost is not null and run_type not in ('llm', 'embedding') and coalesce(total_tokens, 0) = 0"

/**
 * Whether the cost of `run`, an alias of `trace_runs`, counts beside those of models: that of a tool or retriever does;
 * any other run repeats its children's unless nothing below it calls a model or costs. `ownCost` is the same rule for
 * browsers.
 */
export const otherCostText = (run: string): string => {
  const of = (text: string, alias: string) => text.replace(/\b(?:run_type|total_cost|total_tokens)\b/g, `${alias}.$&`)
  return `(${of(MAY_COST_TEXT, run)} and (${run}.run_type in ('tool', 'retriever') or not exists (
    select from platform.trace_runs below where below.trace_id = ${run}.trace_id
      and starts_with(below.dotted_order, ${run}.dotted_order || '.')
      and (${of(MODEL_TYPES_TEXT, 'below')} or ${of(MAY_COST_TEXT, 'below')}))))`
}

/** How runtimes log a step that asks a person: as an error of this class, although nothing failed. */
const INTERRUPT_TEXT = `error ~ '(^|\\n)(GraphInterrupt|NodeInterrupt)[:(]'`

/** How runtimes log that somebody cancelled; `lightRun` has the same rule for other servers. */
const CANCEL_TEXT = `error ~ '(^|\\n)(\\w+: )?(AbortError|CancelledError)\\M|^(Abort|interrupt|rollback)(\\n|$)'`

/** The status of `runs` as it is told: the root whose trace a question ended is interrupted, too. */
export const STATUS_TEXT = `(case when runs.status = 'success' and runs.parent_id is null
  and exists (select from platform.trace_runs step where step.trace_id = runs.trace_id and step.${INTERRUPT_TEXT})
  then 'interrupted' else runs.status end)`

const detail = (side: string, name: string): SQL => sql.raw(`(token_details->'${side}'->>'${name}')::double precision`)

export const traceRuns = platformSchema.table(
  'trace_runs',
  {
    id: uuid('id').primaryKey(),
    /** Null until the post arrives. */
    projectId: uuid('project_id').references(() => tracingProjects.id, { onDelete: 'cascade' }),
    traceId: uuid('trace_id'),
    parentId: uuid('parent_id'),
    dottedOrder: orderedText('dotted_order'),
    name: text('name'),
    runType: text('run_type'),
    startTime: time('start_time'),
    endTime: time('end_time'),
    firstTokenTime: time('first_token_time'),
    error: text('error'),
    status: text('status').generatedAlwaysAs(
      sql.raw(
        `case when ${INTERRUPT_TEXT} then 'interrupted' when ${CANCEL_TEXT} then 'cancelled' when error is not null then 'error' when end_time is not null then 'success' else 'pending' end`,
      ),
    ),
    latencyMs: double('latency_ms').generatedAlwaysAs(msBetween('start_time', 'end_time')),
    firstTokenMs: double('first_token_ms').generatedAlwaysAs(msBetween('start_time', 'first_token_time')),
    tags: textList('tags'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>(),
    model: text('model'),
    provider: text('provider'),
    /** Why the model stopped, in the words of `lib/traces/finish.ts`. */
    finishReason: text('finish_reason'),
    promptTokens: bigint('prompt_tokens', { mode: 'number' }),
    completionTokens: bigint('completion_tokens', { mode: 'number' }),
    totalTokens: bigint('total_tokens', { mode: 'number' }),
    /** `{ input, output }`: parts of the tokens by name. */
    tokenDetails: jsonb('token_details').$type<{ input: Record<string, number>; output: Record<string, number> }>(),
    /** The parts that may have their own price. */
    cacheReadTokens: double('cache_read_tokens').generatedAlwaysAs(detail('input', 'cache_read')),
    /** Some providers count only the parts: for minutes and for an hour. */
    cacheWriteTokens: double('cache_write_tokens').generatedAlwaysAs(
      sql`nullif(greatest(${detail('input', 'cache_creation')}, coalesce(${detail('input', 'ephemeral_5m_input_tokens')}, 0) + coalesce(${detail('input', 'ephemeral_1h_input_tokens')}, 0)), 0)`,
    ),
    cacheWrite1hTokens: double('cache_write_1h_tokens').generatedAlwaysAs(detail('input', 'ephemeral_1h_input_tokens')),
    reasoningTokens: double('reasoning_tokens').generatedAlwaysAs(detail('output', 'reasoning')),
    promptCost: numeric('prompt_cost'),
    completionCost: numeric('completion_cost'),
    /** As logged; readers apply prices themselves. Null if unknown, which is not zero. */
    totalCost: numeric('total_cost'),
    threadId: text('thread_id'),
    referenceExampleId: text('reference_example_id'),
    inputsPreview: text('inputs_preview'),
    outputsPreview: text('outputs_preview'),
    inputText: text('input_text'),
    outputText: text('output_text'),
    words: words('words').generatedAlwaysAs(
      sql`to_tsvector('simple', coalesce(name, '') || ' ' || coalesce(input_text, '') || ' ' || coalesce(output_text, '') || ' ' || coalesce(left(error, 4000), ''))`,
    ),
    /** Whether a patch has arrived: a late post must not overwrite it. */
    isPatched: boolean('is_patched').notNull().default(false),
  },
  (table) => [
    index('trace_runs_newest').on(table.projectId, table.startTime.desc(), table.id.desc()),
    index('trace_runs_roots')
      .on(table.projectId, table.startTime.desc(), table.id.desc())
      .where(sql`parent_id is null`),
    // Covers all columns that totals read, so that they need not read the wide rows.
    index('trace_runs_totals').on(
      ...([table.projectId, table.startTime, table.parentId, table.runType, table.status, table.latencyMs] as const),
      ...([
        table.firstTokenMs,
        table.promptTokens,
        table.completionTokens,
        table.totalTokens,
        table.totalCost,
      ] as const),
    ),
    // The newest traces of all projects.
    index('trace_runs_all_roots').on(table.startTime.desc(), table.id.desc()).where(sql`parent_id is null`),
    // Covers what is filtered, grouped and priced of model runs.
    index('trace_runs_usage')
      .on(
        ...([table.projectId, table.startTime, table.traceId, table.model, table.provider] as const),
        ...([table.finishReason, table.totalCost, table.promptTokens, table.completionTokens] as const),
        ...([table.cacheReadTokens, table.cacheWriteTokens, table.cacheWrite1hTokens] as const),
        ...([table.reasoningTokens, table.status, table.latencyMs] as const),
      )
      .where(sql.raw(MODEL_TYPES_TEXT)),
    index('trace_runs_other_costs').on(table.projectId, table.startTime, table.totalCost).where(sql.raw(MAY_COST_TEXT)),
    index('trace_runs_tree').on(table.traceId, sql.raw(OWN_ORDER_TEXT), table.id),
    index('trace_runs_parent').on(table.parentId),
    index('trace_runs_thread').on(table.threadId).where(sql`thread_id is not null`),
    index('trace_runs_errors')
      .on(table.projectId, table.startTime.desc(), table.id.desc())
      .where(sql`error is not null`),
    index('trace_runs_interrupts').on(table.traceId).where(sql.raw(INTERRUPT_TEXT)),
    index('trace_runs_lost').on(table.id).where(sql`trace_id is null or project_id is null`),
    index('trace_runs_metadata').using('gin', sql`metadata jsonb_path_ops`),
    index('trace_runs_tags').using('gin', table.tags),
    index('trace_runs_words').using('gin', table.words),
  ],
)

/** Original JSON texts, each prefixed by one byte that tells whether it is compressed. */
export const tracePayloads = platformSchema.table('trace_payloads', {
  runId: uuid('run_id')
    .primaryKey()
    .references(() => traceRuns.id, { onDelete: 'cascade' }),
  inputs: bytea('inputs'),
  outputs: bytea('outputs'),
  events: bytea('events'),
  extra: bytea('extra'),
  serialized: bytea('serialized'),
  bytes: bigint('bytes', { mode: 'number' }).generatedAlwaysAs(
    sql`coalesce(octet_length(inputs), 0) + coalesce(octet_length(outputs), 0) + coalesce(octet_length(events), 0) + coalesce(octet_length(extra), 0) + coalesce(octet_length(serialized), 0)`,
  ),
})

export const traceAttachments = platformSchema.table(
  'trace_attachments',
  {
    runId: uuid('run_id')
      .notNull()
      .references(() => traceRuns.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    contentType: text('content_type').notNull(),
    data: bytea('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.name] })],
)

export const traceFeedback = platformSchema.table(
  'trace_feedback',
  {
    id: uuid('id').primaryKey(),
    runId: uuid('run_id'),
    traceId: uuid('trace_id'),
    body: jsonb('body').$type<Record<string, unknown>>().notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('trace_feedback_run').on(table.runId),
    index('trace_feedback_trace').on(table.traceId).where(sql`run_id is null`),
  ],
)
