import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { TraceRunsQuery, TraceTotals, TraceTotalsQuery, TraceTreeQuery } from '@/lib/contracts/traces/run-queries'
import type { TraceAttachment } from '@/lib/contracts/traces/trace-run'
import { timeToFirstToken } from '@/lib/traces/facts'
import type { Db } from '../kernel/database'
import { invalid, notFound, uuid } from '../kernel/http-error'
import { storable } from './extract'
import { feedbackOf, feedbackStats } from './feedback'
import { conditions, where } from './run-conditions'
import {
  ancestorsOf,
  HEAVY_FIELDS,
  type HeavyField,
  type HeavyRow,
  LIGHT_COLUMNS,
  type LightRow,
  printRun,
  TREE_COLUMNS,
} from './run-record'
import { printRunV2, storedFields } from './run-record-v2'
import { MODEL_TYPES_TEXT, OWN_ORDER_TEXT } from './schema'
import {
  type Json,
  OF_MODELS,
  OTHER_COST,
  otherCostsStatement,
  readFacets,
  readGroups,
  startOf,
  totalsOf,
  totalsStatement,
  usageOf,
  usageStatement,
} from './totals'

const PAGE = 100
const TREE_PAGE = 2000

/** Per run; with more, readers use the totals. */
const MAX_FEEDBACK = 100

/** The statement of `queryTraceRuns`, separate so that a test can explain it. */
export function runsStatement(asked: TraceRunsQuery): SQL {
  const isAscending = asked.order === 'asc'
  const found = conditions(asked)
  if (asked.cursor) {
    const [time, id] = readCursor(asked.cursor)
    found.push(
      sql`(start_time, id) ${sql.raw(isAscending ? '>' : '<')} (${time}::timestamptz, ${uuid('body', 'cursor', id)}::uuid)`,
    )
  }
  // Qualified, because the bare name would be the selected text, which has no index.
  const order = isAscending
    ? 'runs.start_time asc nulls first, runs.id asc nulls first'
    : 'runs.start_time desc nulls last, runs.id desc nulls last'
  return sql`select ${LIGHT_COLUMNS} from platform.trace_runs runs ${where(found)} order by ${sql.raw(order)} limit ${(asked.limit ?? PAGE) + 1}`
}

/**
 * The statement of `listTraceTree`. Ordered by the last segment of the dotted order, so by start time; the whole dotted
 * order of a deep trace exceeds an index row and is slow to sort.
 */
export function treeStatement(traceId: string, { cursor, limit = TREE_PAGE }: z.output<typeof TraceTreeQuery>): SQL {
  const id = cursor === undefined ? undefined : uuid('query', 'cursor', readCursor(cursor)[1])
  const last = sql`(select ${OWN_ORDER} from platform.trace_runs where id = ${id}::uuid)`
  const rest =
    id === undefined ? sql`` : sql`and ${OWN_ORDER} >= ${last} and (${OWN_ORDER}, id) > (${last}, ${id}::uuid)`
  return sql`select ${TREE_COLUMNS} from platform.trace_runs runs where trace_id = ${traceId}::uuid ${rest}
    order by ${OWN_ORDER}, id limit ${limit + 1}`
}
const OWN_ORDER = sql.raw(OWN_ORDER_TEXT)
const OF_MODEL_TYPES = sql.raw(MODEL_TYPES_TEXT)

/** Reads logged runs; responses with logged data are JSON text. */
export class TraceQueries {
  constructor(private readonly db: Db) {}

  async runs(asked: TraceRunsQuery): Promise<string> {
    const { page, next } = await this.#page(asked)
    await this.#addTraceTotals(page)
    await this.#addLastTimes(page)
    const wanted = HEAVY_FIELDS.filter((field) => asked.select?.includes(field))
    const heavy = wanted.length > 0 ? await this.#heavy(page, wanted) : undefined
    const stats = asked.select?.includes('feedback_stats') ? await this.#stats(page) : undefined
    const texts: string[] = []
    for (const row of page) {
      const beside = {
        ...(stats && { feedback_stats: stats.get(row.id) ?? {} }),
        ...(asked.select?.includes('parent_run_ids') && { parent_run_ids: ancestorsOf(row) }),
      }
      texts.push(await printRun(row, heavy?.get(row.id) ?? (heavy && {}), beside))
    }
    return `{"runs":[${texts.join(',')}],"cursors":${JSON.stringify({ next })}}`
  }

  /** The same in version 2 of the API. */
  async runsV2(asked: TraceRunsQuery, selects: readonly string[]): Promise<string> {
    const { page, next } = await this.#page(asked)
    await this.#addTraceTotals(page)
    const heavy = await this.#heavy(page, storedFields(selects))
    const stats = selects.includes('FEEDBACK_STATS') ? await this.#stats(page) : undefined
    const texts: string[] = []
    for (const row of page) texts.push(await printRunV2(row, selects, heavy.get(row.id), stats?.get(row.id)))
    return `{"items":[${texts.join(',')}],"next_cursor":${JSON.stringify(next)}}`
  }

  async runV2(runId: string, projectId: string | undefined, selects: readonly string[]): Promise<string> {
    const id = uuid('path', 'run_id', runId)
    const [row] = await this.#light(sql`select ${LIGHT_COLUMNS} from platform.trace_runs runs where id = ${id}::uuid`)
    if (!row || (projectId && row.project_id !== uuid('query', 'project_id', projectId))) throw notFound('Run', runId)
    await this.#addTraceTotals([row])
    const heavy = await this.#heavy([row], storedFields(selects))
    const stats = selects.includes('FEEDBACK_STATS') ? await this.#stats([row]) : undefined
    return printRunV2(row, selects, heavy.get(id), stats?.get(id))
  }

  async #page(asked: TraceRunsQuery): Promise<{ page: LightRow[]; next: string | null }> {
    const limit = asked.limit ?? PAGE
    const rows = await this.#light(runsStatement(asked))
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return { page, next: last?.start_time ? writeCursor(last.start_time, last.id) : null }
  }

  #stats = (rows: readonly LightRow[]) =>
    feedbackStats(
      this.db,
      'id',
      rows.map(({ id }) => id),
    )

  /** A trace's runs in short form, in order of start time. */
  async tree(traceId: string, query: z.output<typeof TraceTreeQuery>): Promise<string> {
    const id = uuid('path', 'trace_id', traceId)
    const limit = query.limit ?? TREE_PAGE
    const rows = await this.#light(treeStatement(id, query))
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    const texts: string[] = []
    for (const row of page) texts.push(await printRun(row))
    const next = last ? writeCursor('', last.id) : null
    return `{"runs":[${texts.join(',')}],"cursors":${JSON.stringify({ next })}}`
  }

  async run(runId: string): Promise<string> {
    const id = uuid('path', 'run_id', runId)
    const [row] = await this.#light(sql`select ${LIGHT_COLUMNS} from platform.trace_runs runs where id = ${id}::uuid`)
    if (!row) throw notFound('Run', runId)
    await this.#addTraceTotals([row])
    const { rows: stored_attachments } = await this.db.execute(sql`
      select name, content_type, octet_length(data) as size from platform.trace_attachments where run_id = ${id}::uuid order by name`)
    const beside = {
      stored_attachments,
      feedback: await feedbackOf(this.db, id, MAX_FEEDBACK),
      feedback_stats: (await this.#stats([row])).get(id) ?? {},
      parent_run_ids: ancestorsOf(row),
    }
    return printRun(row, (await this.#heavy([row], [...HEAVY_FIELDS])).get(row.id) ?? {}, beside)
  }

  async attachment(runId: string, name: string): Promise<TraceAttachment> {
    const id = uuid('path', 'run_id', runId)
    const { rows } = await this.db.execute(
      sql`select name, content_type, data from platform.trace_attachments where run_id = ${id}::uuid and name = ${storable(name)}`,
    )
    const [found] = rows as { name: string; content_type: string; data: Buffer }[]
    if (!found) throw notFound('Attachment', name)
    return { name: found.name, content_type: found.content_type, base64: found.data.toString('base64') }
  }

  async totals(asked: z.output<typeof TraceTotalsQuery>): Promise<TraceTotals> {
    const found = conditions(asked)
    const step = asked.bucket_seconds
    const [whole = {}, ...pieces] = (await this.db.execute(totalsStatement(found, step))).rows as Json[]
    const usage = asked.model_usage ? await this.db.execute(usageStatement(found, step)) : undefined
    const groups = asked.group_by ? await readGroups(this.db, asked, asked.group_by) : undefined
    // The cost of other runs is requested along with model runs, so it ignores the type filter.
    const { run_type, is_model, ...every } = asked
    const others = asked.other_costs
      ? await this.db.execute(otherCostsStatement(conditions(run_type === 'llm' || is_model ? every : asked), step))
      : undefined
    const start_time = (piece: unknown) => (step && piece !== null ? startOf(piece, step) : null)
    return {
      ...totalsOf(whole),
      ...groups,
      ...(asked.facets && { facets: await readFacets(this.db, asked) }),
      last_run_start_time: (whole.last_run as string | null | undefined) ?? null,
      ...(step && { buckets: pieces.map((row) => ({ start_time: String(start_time(row.piece)), ...totalsOf(row) })) }),
      ...(usage && {
        model_usage: (usage.rows as Json[]).map((row) => ({ start_time: start_time(row.piece), ...usageOf(row) })),
      }),
      ...(others && {
        other_costs: (others.rows as Json[]).map((row) => ({
          start_time: start_time(row.piece),
          run_count: Number(row.run_count),
          total_cost: String(row.total_cost),
        })),
      }),
    }
  }

  async #light(statement: SQL): Promise<LightRow[]> {
    return (await this.db.execute(statement)).rows as LightRow[]
  }

  async #heavy(rows: readonly LightRow[], fields: readonly HeavyField[]): Promise<Map<string, HeavyRow>> {
    if (rows.length === 0 || fields.length === 0) return new Map()
    const columns = sql.raw(['run_id', ...fields].join(', '))
    const { rows: found } = await this.db.execute(
      sql`select ${columns} from platform.trace_payloads where run_id in (${idList(rows.map((row) => row.id))})`,
    )
    return new Map((found as (HeavyRow & { run_id: string })[]).map(({ run_id, ...fields }) => [run_id, fields]))
  }

  /**
   * A root shows its trace's totals: the sum over its model runs, and the other runs' own costs. What parents repeat of
   * their children is not counted.
   */
  async #addTraceTotals(rows: readonly LightRow[]): Promise<void> {
    const roots = rows.filter((row) => row.parent_id === null && row.run_type !== 'llm' && row.trace_id !== null)
    if (roots.length === 0) return
    const traces = idList(roots.map((row) => String(row.trace_id)))
    const { rows: sums } = await this.db.execute(sql`
      select trace_id, sum(prompt_tokens) ${OF_MODELS} as prompt_tokens, sum(completion_tokens) ${OF_MODELS} as completion_tokens,
        sum(total_tokens) ${OF_MODELS} as total_tokens, sum(prompt_cost) ${OF_MODELS} as prompt_cost,
        sum(completion_cost) ${OF_MODELS} as completion_cost, sum(total_cost) as total_cost,
        min(model) ${OF_MODELS} as model, min(provider) ${OF_MODELS} as provider,
        to_char(min(first_token_time) ${OF_MODELS} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as first_token_time
      from platform.trace_runs runs where trace_id in (${traces}) and (${OF_MODEL_TYPES} or ${OTHER_COST}) group by trace_id`)
    const byTrace = new Map((sums as Json[]).map(({ trace_id, ...sum }) => [trace_id, sum]))
    const usage = (await this.db.execute(usageStatement([sql`trace_id in (${traces})`], 'trace'))).rows as Json[]
    for (const row of roots) {
      const sum = byTrace.get(row.trace_id)
      // A root's own usage repeats a run below it; without such a run it is left out.
      Object.assign(row, sum ?? { prompt_tokens: null, completion_tokens: null, total_tokens: null }, {
        token_details: null,
        model_usage: usage.filter(({ piece }) => piece === row.trace_id).map(usageOf),
        first_token_ms: firstTokenOf(row.start_time, sum?.first_token_time),
      })
    }
  }

  /** When the trace of a run without an end was logged last. */
  async #addLastTimes(rows: readonly LightRow[]): Promise<void> {
    const pending = rows.filter((row) => row.status === 'pending' && row.trace_id !== null)
    if (pending.length === 0) return
    const { rows: found } = await this.db.execute(sql`
      select trace_id, to_char(max(greatest(start_time, end_time)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as last_time
      from platform.trace_runs where trace_id in (${idList(pending.map((row) => String(row.trace_id)))}) group by trace_id`)
    const byTrace = new Map((found as Json[]).map(({ trace_id, last_time }) => [trace_id, last_time]))
    for (const row of pending) row.last_time = byTrace.get(row.trace_id)
  }
}

const firstTokenOf = (start: unknown, first: unknown): number | null => {
  const events = [{ name: 'new_token', time: first }]
  const ms = timeToFirstToken({ start_time: start, events })
  // Doubles of this size have a resolution of about a quarter of a microsecond.
  return ms === undefined ? null : Math.round(ms * 1000) / 1000
}

const idList = (ids: readonly string[]): SQL =>
  sql.join(
    ids.map((id) => sql`${id}::uuid`),
    sql`, `,
  )

const writeCursor = (order: string, id: string): string =>
  Buffer.from(JSON.stringify([order, id])).toString('base64url')
function readCursor(cursor: string): [string, string] {
  try {
    const [order, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [unknown, unknown]
    if (typeof order === 'string' && typeof id === 'string' && !order.includes('\0')) return [order, id]
  } catch {
    // Refused below.
  }
  throw invalid('body', [{ path: ['cursor'], message: 'The cursor is not one of this server', type: 'value_error' }])
}
