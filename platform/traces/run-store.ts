import { randomUUID } from 'node:crypto'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Json } from '@/lib/traces/blocks/values'
import { type Db, isMissingReference } from '../kernel/database'
import { tracingProjects } from '../kernel/schema'
import { extractColumns, type RunColumns, storable, storableJson } from './extract'
import { type Attachment, type IntakeRequest, type RunUpdate, uuidOf } from './intake-request'
import { compressText } from './payload'
import { traceAttachments, traceFeedback } from './schema'

/** Rows per statement: parameters are limited, and each row is locked. */
const BATCH = 200
const ATTEMPTS = 5
const PAYLOADS = ['inputs', 'outputs', 'events', 'extra', 'serialized'] as const
/** The project of runs that name none. */
export const DEFAULT_PROJECT = 'default'

const TEXT = ['dotted_order', 'name', 'run_type', 'error', 'model', 'provider', 'finish_reason', 'thread_id'] as const
const TEXTS = [...TEXT, 'inputs_preview', 'outputs_preview', 'input_text', 'output_text'] as const
const TIMES = ['start_time', 'end_time', 'first_token_time'] as const
const IDS = ['project_id', 'trace_id', 'parent_id', 'reference_example_id'] as const
const NUMBERS = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_cost',
  'completion_cost',
  'total_cost',
] as const
const MERGED = [...IDS, ...TEXTS, ...TIMES, ...NUMBERS, 'tags', 'token_details'] as const
const COLUMNS = ['id', 'is_patched', 'metadata', ...MERGED] as const

const TYPES: Record<string, string> = {
  id: 'uuid',
  is_patched: 'boolean',
  metadata: 'text',
  tags: 'text[]',
  token_details: 'jsonb',
  ...Object.fromEntries(IDS.map((name) => [name, 'uuid'])),
  ...Object.fromEntries(TEXTS.map((name) => [name, 'text'])),
  ...Object.fromEntries(TIMES.map((name) => [name, 'timestamptz'])),
  ...Object.fromEntries(NUMBERS.map((name) => [name, name.endsWith('cost') ? 'numeric' : 'bigint'])),
}

/**
 * A patch overwrites stored values and a post only fills gaps, so that a run is the same
 * in any order and with duplicates. A patch with an earlier end than the stored one is outdated.
 */
const WINS = 'excluded.is_patched and not (runs.is_patched and coalesce(excluded.end_time < runs.end_time, false))'
const merge = (column: string) =>
  `${column} = case when ${WINS} then coalesce(excluded.${column}, runs.${column}) else coalesce(runs.${column}, excluded.${column}) end`
const UPSERT = sql.raw(`
  on conflict (id) do update set ${MERGED.map(merge).join(', ')},
    metadata = case when ${WINS} then coalesce(runs.metadata, '{}') || coalesce(excluded.metadata, '{}')
      else coalesce(excluded.metadata, '{}') || coalesce(runs.metadata, '{}') end,
    is_patched = runs.is_patched or excluded.is_patched`)
const RECORD = sql.raw(COLUMNS.map((name) => `${name} ${TYPES[name]}`).join(', '))
const NAMES = sql.raw(COLUMNS.join(', '))
const VALUES = sql.raw(
  COLUMNS.map((name) => (name === 'metadata' ? 'given.metadata::jsonb' : `given.${name}`)).join(', '),
)

/** Stores the updates of requests. Every write is idempotent. */
export class RunStore {
  /** Names of known projects. A deleted project is created again when something logs to it. */
  readonly #projects = new Map<string, string>()

  constructor(readonly db: Db) {}

  async write(pieces: IntakeRequest): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const problems = pieces.problems.length
      try {
        return await this.#write(pieces)
      } catch (error) {
        // The project or run was deleted between its look-up and the write; the next look-up misses or makes it.
        if (!isMissingReference(error) || attempt === ATTEMPTS) throw error
        pieces.problems.length = problems
      }
    }
  }

  async #write(pieces: IntakeRequest): Promise<void> {
    // Sorted by id, so that two requests with the same runs cannot deadlock.
    const runs = pieces.runs.sort((a, b) => (a.id === b.id ? a.kind.localeCompare(b.kind) * -1 : a.id < b.id ? -1 : 1))
    const columns: [RunUpdate, RunColumns][] = []
    const known = new Map<unknown, string | null>()
    for (const piece of runs) {
      const { session_id, session_name } = piece.main
      const key = `${piece.kind} ${session_id} ${session_name}`
      const projectId = known.has(key) ? (known.get(key) ?? null) : await this.#projectOf(piece, pieces)
      known.set(key, projectId)
      columns.push([piece, extractColumns(piece, projectId)])
    }
    // One statement cannot write both a post and a patch of the same run.
    for (const kind of ['post', 'patch'] as const) {
      const some = columns.filter(([piece]) => piece.kind === kind)
      for (let at = 0; at < some.length; at += BATCH) await this.#writeBatch(some.slice(at, at + BATCH), kind)
    }
    if (runs.length > 0) await this.#complete(runs)
    if (pieces.attachments.length > 0) await this.#writeAttachments(pieces.attachments)
    if (pieces.feedback.length > 0) await this.writeFeedback(pieces.feedback)
  }

  async #writeBatch(batch: [RunUpdate, RunColumns][], kind: RunUpdate['kind']): Promise<void> {
    const rows = batch.map(([, row]) => row)
    const payloads = await Promise.all(
      batch.map(async ([{ id, fields }]) => {
        const packed = await Promise.all(PAYLOADS.map((name) => (fields[name] ? compressText(fields[name]) : null)))
        return packed.some(Boolean) ? sql`(${id}::uuid, ${sql.join(packed.map(asBytes), sql`, `)})` : undefined
      }),
    )
    const given = payloads.filter((one) => one !== undefined)
    const order = kind === 'patch' ? ['excluded', 'stored'] : ['stored', 'excluded']
    const sets = PAYLOADS.map((name) => `${name} = coalesce(${order[0]}.${name}, ${order[1]}.${name})`).join(', ')
    await this.db.transaction(async (tx) => {
      await tx.execute(sql`insert into platform.trace_runs as runs (${NAMES})
        select ${VALUES} from json_to_recordset(${JSON.stringify(rows)}::json) as given(${RECORD}) order by id ${UPSERT}`)
      if (given.length > 0)
        await tx.execute(sql`insert into platform.trace_payloads as stored (run_id, ${sql.raw(PAYLOADS.join(', '))})
          values ${sql.join(given, sql`, `)} on conflict (run_id) do update set ${sql.raw(sets)}`)
    })
  }

  /** Fills in what older SDKs and patches omit: trace, order and project, from a parent or the trace. */
  async #complete(runs: readonly RunUpdate[]): Promise<void> {
    // One parameter, because a request may have more runs than a statement has parameters.
    const ids = sql`${sql.param(runs.map(({ id }) => id))}::uuid[]`
    const isLost = sql.raw('(runs.trace_id is null or runs.project_id is null)')
    // A request has few levels; deeper chains end when nothing changes.
    for (let depth = 0; depth < 32; depth += 1) {
      const { rowCount } = await this.db.execute(sql`
        with lost as (select id, parent_id, trace_id from platform.trace_runs runs where ${isLost} and (id = any(${ids}) or parent_id = any(${ids}) or trace_id = any(select trace_id from platform.trace_runs where id = any(${ids}))))
        update platform.trace_runs runs set
          trace_id = coalesce(runs.trace_id, near.trace_id),
          dotted_order = coalesce(runs.dotted_order, near.dotted_order || '.' || to_char(runs.start_time at time zone 'UTC', 'YYYYMMDD"T"HH24MISSUS"Z"') || runs.id),
          project_id = coalesce(runs.project_id, near.project_id)
        from lost join lateral (
          select trace_id, project_id, dotted_order from platform.trace_runs where id = lost.parent_id
          union all select trace_id, project_id, null from platform.trace_runs where trace_id = lost.trace_id and project_id is not null
          limit 1
        ) near on true
        where runs.id = lost.id and ((runs.trace_id is null and near.trace_id is not null) or (runs.project_id is null and near.project_id is not null))`)
      if (!rowCount) return
    }
  }

  async #writeAttachments(attachments: readonly Attachment[]): Promise<void> {
    for (const { runId, name, contentType, data } of attachments) {
      // An attachment may arrive before its run.
      await this.db.execute(sql`insert into platform.trace_runs (id) values (${runId}) on conflict (id) do nothing`)
      await this.db
        .insert(traceAttachments)
        .values({ runId, name: storable(name), contentType: storable(contentType), data })
        .onConflictDoUpdate({
          target: [traceAttachments.runId, traceAttachments.name],
          set: { contentType: storable(contentType), data },
        })
    }
  }

  async writeFeedback(feedback: readonly Json[]): Promise<void> {
    for (const body of feedback) {
      const clean = JSON.parse(storableJson(body)) as Json
      await this.db
        .insert(traceFeedback)
        .values({
          id: uuidOf(body.id) ?? randomUUID(),
          runId: uuidOf(body.run_id) ?? null,
          traceId: uuidOf(body.trace_id) ?? null,
          body: clean,
        })
        .onConflictDoUpdate({ target: traceFeedback.id, set: { body: clean } })
    }
  }

  /** The project id of an update. A patch may omit it, because its post has it. */
  async #projectOf({ kind, id, main }: RunUpdate, pieces: IntakeRequest): Promise<string | null> {
    const given = uuidOf(main.session_id)
    if (given) {
      const [found] = await this.db
        .select({ id: tracingProjects.id })
        .from(tracingProjects)
        .where(eq(tracingProjects.id, given))
      if (found) return found.id
      pieces.refuse([`${kind}.${id}`, 'session_id'], `Tracing project ${given} not found`)
    }
    const { session_name: named } = main
    const name = typeof named === 'string' && named.trim() !== '' ? storable(named.slice(0, 500)) : undefined
    if (!name && kind === 'patch') return null
    return this.projectNamed(name ?? DEFAULT_PROJECT)
  }

  async projectNamed(name: string): Promise<string> {
    const known = this.#projects.get(name)
    // Checked each time, because the project may have been deleted; a lookup by key is cheap.
    if (known) {
      const [found] = await this.db
        .select({ id: tracingProjects.id })
        .from(tracingProjects)
        .where(eq(tracingProjects.id, known))
      if (found) return known
    }
    const [made] = await this.db
      .insert(tracingProjects)
      .values({ name })
      .onConflictDoUpdate({ target: tracingProjects.name, set: { name } })
      .returning({ id: tracingProjects.id })
    if (!made) throw new Error(`The tracing project ${name} could not be created.`)
    if (this.#projects.size > 1000) this.#projects.clear()
    this.#projects.set(name, made.id)
    return made.id
  }
}

const asBytes = (value: Buffer | null): SQL => sql`${value}::bytea`
