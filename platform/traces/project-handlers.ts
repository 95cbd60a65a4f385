import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type {
  TracingProject,
  TracingProjectCreate,
  TracingProjectPatch,
  TracingProjectsQuery,
} from '@/lib/contracts/traces/trace-runs'
import type { Db } from '../kernel/database'
import { escapeLike, isUniqueViolation } from '../kernel/database'
import { HttpError, invalid, notFound, uuid } from '../kernel/http-error'

type Row = {
  id: string
  name: string
  deployment_id: string | null
  created_at: string
  runs?: string
  last?: string | null
}

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
    const rows = await this.#rows(sql`${found.length ? sql`where ${sql.join(found, sql` and `)}` : sql``}
      order by ${sql.raw(`${order} ${direction}, id`)} limit ${query.limit ?? 100} offset ${query.offset ?? 0}`)
    return rows.map((row) => this.#record(row))
  }

  async get(id: string): Promise<TracingProject> {
    const [row] = await this.#rows(sql`where id = ${uuid('path', 'session_id', id)}::uuid`)
    if (!row) throw notFound('Tracing project', id)
    return this.#record(row)
  }

  async create(body: z.output<typeof TracingProjectCreate>): Promise<TracingProject> {
    const id = body.id ? sql`${body.id}::uuid` : sql`gen_random_uuid()`
    const made = await this.#write(
      sql`insert into platform.tracing_projects (id, name) values (${id}, ${checkedName(body.name)}) on conflict do nothing returning id`,
    )
    if (!made) throw new HttpError(409, `A tracing project ${body.name} exists already.`)
    return this.get(made)
  }

  /** Only the name can change, and only if no deployment logs to the project. */
  async update(id: string, body: z.output<typeof TracingProjectPatch>): Promise<TracingProject> {
    const before = await this.get(id)
    if (!body.name || body.name === before.name) return before
    const changed = await this.#write(
      sql`update platform.tracing_projects set name = ${checkedName(body.name)} where id = ${id}::uuid and deployment_id is null returning id`,
    )
    if (!changed) throw new HttpError(409, 'A deployment logs to this project by its name, so the name stays.')
    return this.get(id)
  }

  /** Removes the project with all its runs. */
  async remove(id: string): Promise<void> {
    const before = await this.get(id)
    const gone = await this.#write(
      sql`delete from platform.tracing_projects where id = ${id}::uuid and deployment_id is null returning id`,
    )
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
      select id, name, deployment_id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
        (select to_char(max(start_time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from platform.trace_runs where project_id = projects.id) as last
      from platform.tracing_projects projects ${rest}`)
    return rows as Row[]
  }

  #record(row: Row): TracingProject {
    return {
      id: row.id,
      name: row.name,
      start_time: row.created_at,
      tenant_id: this.tenantId,
      last_run_start_time: row.last ?? null,
      extra: { deployment_id: row.deployment_id },
    }
  }
}

function checkedName(name: string): string {
  if (name.trim() === '' || name.includes('\0') || name.length > 500)
    throw invalid('body', [{ path: ['name'], message: 'A name has 1 to 500 characters', type: 'value_error' }])
  return name
}
