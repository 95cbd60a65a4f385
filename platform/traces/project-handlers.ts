import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type {
  TracingProject,
  TracingProjectCreate,
  TracingProjectPatch,
  TracingProjectsQuery,
} from '@/lib/contracts/traces/projects'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import { parseJson, printJson } from '@/lib/json/lossless'
import type { Db } from '../kernel/database'
import { escapeLike, isUniqueViolation } from '../kernel/database'
import { HttpError, invalid, notFound, uuid } from '../kernel/http-error'
import { removeRunsOf } from '../kernel/projects'
import { isoTime, storable } from './extract'
import { feedbackStats } from './feedback'
import { OF_MODELS } from './totals'

type Row = {
  id: string
  name: string
  deployment_id: string | null
  created_at: string
  description: string | null
  extra: string | null
  end_time: string | null
  runs?: string
  last?: string | null
}

/** Counts are text, because they may exceed a double. */
type Stats = Record<string, string | number | null> & { project_id: string }

const idList = (ids: readonly string[]): SQL =>
  sql.join(
    ids.map((one) => sql`${uuid('query', 'id', one)}::uuid`),
    sql`, `,
  )

/** Tracing projects, which the API calls sessions. */
export class TracingProjects {
  constructor(
    private readonly db: Db,
    private readonly tenantId: string,
  ) {}

  async list(query: z.output<typeof TracingProjectsQuery>): Promise<TracingProject[]> {
    const found: SQL[] = []
    if (query.name !== undefined) found.push(sql`name = ${query.name}`)
    if (query.name_contains) found.push(sql`name ilike ${`%${escapeLike(query.name_contains)}%`}`)
    const order = query.sort_by === 'name' ? 'name' : 'created_at'
    const direction = (query.sort_by_desc ?? order !== 'name') ? 'desc' : 'asc'
    if (query.id) found.push(sql`id in (${idList(query.id)})`)
    const rows = await this.#rows(sql`${found.length ? sql`where ${sql.join(found, sql` and `)}` : sql``}
      order by ${sql.raw(`${order} ${direction}, id`)} limit ${query.limit ?? 100} offset ${query.offset ?? 0}`)
    return this.#withStats(rows, query.include_stats)
  }

  async get(id: string, hasStats = false): Promise<TracingProject> {
    const [project] = await this.#withStats(
      await this.#rows(sql`where id = ${uuid('path', 'session_id', id)}::uuid`),
      hasStats,
    )
    if (!project) throw notFound('Tracing project', id)
    return project
  }

  async create(body: z.output<typeof TracingProjectCreate>, isUpsert: boolean): Promise<TracingProject> {
    if (isUpsert) {
      const [known] = await this.list({ name: body.name, limit: 1 })
      // One SDK sends an empty object for fields that it was not given.
      const extra = body.extra && Object.keys(body.extra).length > 0 ? body.extra : null
      if (known) return this.update(known.id, { description: body.description, extra })
    }
    const id = body.id ? sql`${body.id}::uuid` : sql`gen_random_uuid()`
    const made = await this.#write(sql`
      insert into platform.tracing_projects (id, name, description, extra)
      values (${id}, ${checkedName(body.name)}, ${textColumn(body.description)}, ${extraColumn(body.extra)})
      on conflict do nothing returning id`)
    if (!made) throw new HttpError(409, `A tracing project ${body.name} already exists.`)
    return this.get(made)
  }

  /**
   * Changes what is given and not null, as SDKs send null for what they leave out. The name can change only if no
   * deployment logs to the project.
   */
  async update(id: string, body: z.output<typeof TracingProjectPatch>): Promise<TracingProject> {
    await this.get(id)
    const name = sql`${body.name ? checkedName(body.name) : null}::text`
    const changed = await this.#write(sql`
      update platform.tracing_projects set name = coalesce(${name}, name),
        description = coalesce(${textColumn(body.description)}, description),
        extra = coalesce(${extraColumn(body.extra)}, extra),
        end_time = coalesce(${endTime(body.end_time)}::timestamptz, end_time)
      where id = ${id}::uuid and (deployment_id is null or name = coalesce(${name}, name)) returning id`)
    if (!changed) throw new HttpError(409, 'A deployment logs to this project by its name, so the name cannot change.')
    return this.get(id)
  }

  /** Removes the project with all its runs. */
  async remove(id: string): Promise<void> {
    const before = await this.get(id)
    const isFree = sql`id = ${id}::uuid and deployment_id is null`
    await removeRunsOf(this.db, sql`select id from platform.tracing_projects where ${isFree}`)
    const gone = await this.#write(sql`delete from platform.tracing_projects where ${isFree} returning id`)
    if (!gone)
      throw new HttpError(
        409,
        `The deployment ${before.name} logs to this project; delete the deployment with its project.`,
      )
  }

  async #write(statement: SQL): Promise<string | undefined> {
    try {
      return ((await this.db.execute(statement)).rows[0] as { id: string } | undefined)?.id
    } catch (error) {
      if (isUniqueViolation(error, 'tracing_projects_name'))
        throw new HttpError(409, 'Another tracing project has this name.')
      throw error
    }
  }

  async #rows(rest: SQL): Promise<Row[]> {
    const { rows } = await this.db.execute(sql`
      select id, name, deployment_id, description, extra::text as extra,
        to_char(end_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as end_time,
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
        (select to_char(max(start_time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from platform.trace_runs where project_id = projects.id) as last
      from platform.tracing_projects projects ${rest}`)
    return rows as Row[]
  }

  /** Counts, latencies and errors are those of traces; tokens and costs those of model runs, which do not repeat others'. */
  async #withStats(rows: readonly Row[], hasStats = false): Promise<TracingProject[]> {
    const projects = rows.map((row) => this.#record(row))
    if (!hasStats || rows.length === 0) return projects
    const ids = rows.map(({ id }) => id)
    const isRoot = sql.raw('filter (where parent_id is null)')
    const isModel = OF_MODELS
    const share = (part: number, column: string) =>
      sql`percentile_cont(${part}) within group (order by ${sql.raw(column)})`
    const { rows: sums } = await this.db.execute(sql`
      select project_id, count(*) ${isRoot} as run_count,
        ${share(0.5, 'latency_ms')} ${isRoot} / 1000 as latency_p50, ${share(0.99, 'latency_ms')} ${isRoot} / 1000 as latency_p99,
        ${share(0.5, 'first_token_ms')} / 1000 as first_token_p50, ${share(0.99, 'first_token_ms')} / 1000 as first_token_p99,
        (count(*) filter (where parent_id is null and status = 'error'))::float8 / nullif(count(*) ${isRoot}, 0) as error_rate,
        sum(prompt_tokens) ${isModel} as prompt_tokens, sum(completion_tokens) ${isModel} as completion_tokens,
        sum(total_tokens) ${isModel} as total_tokens, sum(prompt_cost) ${isModel} as prompt_cost,
        sum(completion_cost) ${isModel} as completion_cost, sum(total_cost) ${isModel} as total_cost
      from platform.trace_runs where project_id in (${idList(ids)}) group by project_id`)
    const byProject = new Map((sums as Stats[]).map(({ project_id, ...stats }) => [project_id, stats]))
    const feedback = await feedbackStats(this.db, 'project_id', ids)
    return projects.map((project) => {
      const { run_count, prompt_tokens, completion_tokens, total_tokens, ...others } = byProject.get(project.id) ?? {}
      return {
        ...project,
        ...others,
        run_count: Number(run_count ?? 0),
        prompt_tokens: Number(prompt_tokens ?? 0),
        completion_tokens: Number(completion_tokens ?? 0),
        total_tokens: Number(total_tokens ?? 0),
        feedback_stats: feedback.get(project.id) ?? {},
      }
    })
  }

  #record(row: Row): TracingProject {
    return {
      id: row.id,
      name: row.name,
      description: row.description,
      start_time: row.created_at,
      end_time: row.end_time,
      tenant_id: this.tenantId,
      // One SDK needs the field, although it may be null.
      reference_dataset_id: null,
      last_run_start_time: row.last ?? null,
      extra: { ...(parseJson(row.extra ?? '{}') as JsonObject), deployment_id: row.deployment_id },
    }
  }
}

function checkedName(name: string): string {
  if (name.trim() === '' || name.includes('\0') || name.length > 500)
    throw invalid('body', [{ path: ['name'], message: 'A name has 1 to 500 characters', type: 'value_error' }])
  return name
}

const textColumn = (text: string | null | undefined): SQL => sql`${text == null ? null : storable(text)}::text`

function extraColumn(extra: JsonObject | null | undefined): SQL {
  const text = extra == null ? null : printJson(extra)
  try {
    // As deep as in a list of projects, which one project must not make unreadable.
    parseJson(`[{"extra":${text}}]`)
  } catch (error) {
    throw invalid('body', [{ path: ['extra'], message: (error as Error).message, type: 'value_error' }])
  }
  return sql`${text}::json`
}

function endTime(given: string | null | undefined): string | null {
  const time = isoTime(given)
  if (given && !time)
    throw invalid('body', [
      { path: ['end_time'], message: 'Input should be a valid datetime', type: 'datetime_parsing' },
    ])
  return time
}
