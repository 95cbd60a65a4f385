import { createHash, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type {
  AssistantCreate,
  AssistantPatch,
  AssistantsCount,
  AssistantsSearch,
} from '@/lib/contracts/agents/assistants'
import { type Conditions, meets } from '../kernel/conditions'
import { HttpError, notFound } from '../kernel/errors'
import { orderAndPage, type Page, Where } from '../kernel/listing'
import { type Db, iso, type Query } from '../persistence/db'
import { checkRecord } from '../persistence/record-access'
import { checkContext } from './graph-info'
import type { Graphs } from './graphs'

/** UUID namespace of the default assistants' ids; never change it. */
const NAMESPACE = Buffer.from('6f1d7c0e3b6a5a0f9c51d2f0b8a7e4c3', 'hex')

/** The id of a graph's default assistant, the same on every start and every server. */
export const defaultAssistantId = (graphId: string): string => uuidOf(graphId)

/** A version 5 UUID of a name. */
export function uuidOf(name: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

type Json = Record<string, unknown>
type Filters = z.output<typeof AssistantsCount>

export type AssistantRow = {
  assistant_id: string
  graph_id: string
  name: string
  description: string | null
  config: Json
  context: Json
  metadata: Json
  version: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = 'assistant_id, graph_id, name, description, config, context, metadata, version, created_at, updated_at'

export const assistantOut = (row: AssistantRow) => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
})

/** Configured instances of graphs, with all their versions. */
export class Assistants {
  constructor(
    private readonly db: Db,
    private readonly graphs: Graphs,
  ) {}

  /** The default assistant of each graph, created once; users' changes to it are kept. */
  async ensureDefaults(): Promise<void> {
    for (const graphId of this.graphs.ids) {
      const fields = {
        assistant_id: defaultAssistantId(graphId),
        graph_id: graphId,
        name: graphId,
        description: this.graphs.descriptionOf(graphId),
        metadata: { created_by: 'system' },
      }
      await this.db.transaction((query) => this.#insert(query, fields))
    }
  }

  /** By id, or by a graph's name for its default one. Throws a 404. */
  async get(idOrGraph: string, query: Query = this.db.query): Promise<AssistantRow> {
    const id = this.idOf(idOrGraph)
    const [row] = await query<AssistantRow>(`select ${COLUMNS} from assistants where assistant_id = $1`, [id])
    if (!row) throw notFound('Assistant', idOrGraph)
    return row
  }

  /** Throws a 404 unless the assistant meets the conditions. */
  check(assistantId: string, only: Conditions): Promise<void> {
    return checkRecord(this.db.query, 'Assistant', assistantId, only)
  }

  idOf(idOrGraph: string): string {
    return this.graphs.has(idOrGraph) ? defaultAssistantId(idOrGraph) : idOrGraph.toLowerCase()
  }

  async create(body: z.output<typeof AssistantCreate>): Promise<AssistantRow> {
    await this.#check(body.graph_id, body.context)
    const assistantId = body.assistant_id?.toLowerCase() ?? randomUUID()
    const row = await this.db.transaction((query) => this.#insert(query, { ...body, assistant_id: assistantId }))
    if (row) return row
    if (body.if_exists === 'do_nothing') return this.get(assistantId)
    throw new HttpError(409, `Assistant ${assistantId} already exists.`)
  }

  async search(
    body: z.output<typeof AssistantsSearch>,
    only?: Conditions,
  ): Promise<{ rows: AssistantRow[]; total: number }> {
    const where = this.#where(body, only)
    const found = await this.db.query<AssistantRow & { total: number }>(
      `select ${COLUMNS}, (count(*) over ())::int as total from assistants ${where.text} ${orderAndPage(body, 'created_at', 'assistant_id')}`,
      where.values,
    )
    const total = found[0]?.total ?? (body.offset ? await this.count(body, only) : 0)
    return { rows: found.map(({ total: _, ...row }) => row), total }
  }

  /** In a stable order, default assistants first, starting after the id `after`. */
  async page(after: string | undefined, limit: number, only?: Conditions): Promise<AssistantRow[]> {
    const defaults = this.graphs.ids.map(defaultAssistantId)
    const where = this.#where({}, only)
    const isMade = `assistant_id <> all($${where.values.push(defaults)}::text[])`
    if (after !== undefined)
      where.add(`(${isMade}, assistant_id) > ($?::boolean, $?)`, !defaults.includes(after), after)
    return this.db.query<AssistantRow>(
      `select ${COLUMNS} from assistants ${where.text} order by ${isMade}, assistant_id limit ${limit}`,
      where.values,
    )
  }

  /** Assistants whose id starts with the prefix; a few at most. */
  startingWith(prefix: string): Promise<AssistantRow[]> {
    const where = this.#where({}).add(`starts_with(assistant_id, $?)`, prefix)
    return this.db.query<AssistantRow>(`select ${COLUMNS} from assistants ${where.text} limit 10`, where.values)
  }

  async count(filters: Filters, only?: Conditions): Promise<number> {
    const where = this.#where(filters, only)
    const [row] = await this.db.query<{ count: number }>(
      `select count(*)::int as count from assistants ${where.text}`,
      where.values,
    )
    return row?.count ?? 0
  }

  /** Creates a new version: metadata is merged, every other given field replaces the old one. */
  async update(idOrGraph: string, body: z.output<typeof AssistantPatch>): Promise<AssistantRow> {
    const now = await this.get(idOrGraph)
    const graphId = body.graph_id ?? now.graph_id
    await this.#check(graphId, body.context ?? (body.graph_id ? now.context : undefined))
    return this.db.transaction(async (query) => {
      // Serializes concurrent updates, so that each creates a version.
      await query('select from assistants where assistant_id = $1 for update', [now.assistant_id])
      const [row] = await query<AssistantRow>(
        `update assistants set graph_id = $2, config = coalesce($3::jsonb, config), context = coalesce($4::jsonb, context),
           metadata = metadata || coalesce($5::jsonb, '{}'), name = coalesce($6::text, name),
           description = coalesce($7::text, description),
           version = (select max(version) + 1 from assistant_versions where assistant_id = $1), updated_at = now()
         where assistant_id = $1 returning ${COLUMNS}`,
        [now.assistant_id, graphId, body.config, body.context, body.metadata, body.name, body.description],
      )
      if (!row) throw notFound('Assistant', idOrGraph)
      await keepVersion(query, row)
      return row
    })
  }

  /** Newest first. `created_at` and `updated_at` of a version are both its creation time. */
  async versions(idOrGraph: string, body: Page & { metadata?: Json | null }): Promise<AssistantRow[]> {
    const { assistant_id } = await this.get(idOrGraph)
    const where = new Where().add('assistant_id = $?', assistant_id).addIf(body.metadata, 'metadata @> $?')
    return this.db.query<AssistantRow>(
      `select ${COLUMNS.replace('updated_at', 'created_at as updated_at')} from assistant_versions ${where.text}
       order by version desc limit ${body.limit ?? 10} offset ${body.offset ?? 0}`,
      where.values,
    )
  }

  /** Makes an earlier version active in full, including its graph, context and description. */
  async setLatest(idOrGraph: string, version: number): Promise<AssistantRow> {
    const { assistant_id } = await this.get(idOrGraph)
    const [row] = await this.db.query<AssistantRow>(
      `update assistants a set graph_id = v.graph_id, name = v.name, description = v.description, config = v.config,
         context = v.context, metadata = v.metadata, version = v.version, updated_at = now()
       from assistant_versions v where v.assistant_id = a.assistant_id and a.assistant_id = $1 and v.version = $2
       returning ${COLUMNS.replace(/\w+/g, 'a.$&')}`,
      [assistant_id, version],
    )
    if (!row) throw new HttpError(404, `Assistant ${idOrGraph} has no version ${version}.`)
    return row
  }

  /** Removes it with all its versions; the caller removes the threads that ran it. */
  async delete(idOrGraph: string): Promise<string> {
    const { assistant_id, metadata } = await this.get(idOrGraph)
    if (metadata.created_by === 'system' && this.graphs.ids.some((graph) => defaultAssistantId(graph) === assistant_id))
      throw new HttpError(409, 'The default assistant of a graph cannot be deleted.')
    await this.db.query('delete from assistants where assistant_id = $1', [assistant_id])
    return assistant_id
  }

  async #check(graphId: string, context: Json | null | undefined): Promise<void> {
    const graph = await this.graphs.get(graphId, 'assistants.read')
    if (context && Object.keys(context).length > 0) await checkContext(graph, context)
  }

  #where({ metadata, graph_id, name }: Filters, only?: Conditions): Where {
    return (
      new Where()
        // Default assistants of graphs that this revision no longer has.
        .add(`(graph_id = any($?) or metadata->>'created_by' is distinct from 'system')`, this.graphs.ids)
        .addIf(metadata, 'metadata @> $?')
        .addIf(graph_id, 'graph_id = $?')
        .addIf(name, 'position(lower($?) in lower(name)) > 0')
        .addIf(only, meets('metadata'))
    )
  }

  /** Undefined when the id is taken. */
  async #insert(
    query: Query,
    fields: z.output<typeof AssistantCreate> & { assistant_id: string },
  ): Promise<AssistantRow | undefined> {
    const [row] = await query<AssistantRow>(
      `insert into assistants (assistant_id, graph_id, name, description, config, context, metadata, version)
       values ($1, $2, $3, $4, $5, $6, $7, 1) on conflict (assistant_id) do nothing returning ${COLUMNS}`,
      [
        fields.assistant_id,
        fields.graph_id,
        fields.name ?? 'Untitled',
        fields.description,
        fields.config ?? {},
        fields.context ?? {},
        fields.metadata ?? {},
      ],
    )
    if (row) await keepVersion(query, row)
    return row
  }
}

async function keepVersion(query: Query, row: AssistantRow): Promise<void> {
  await query(
    `insert into assistant_versions (assistant_id, version, graph_id, name, description, config, context, metadata)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [row.assistant_id, row.version, row.graph_id, row.name, row.description, row.config, row.context, row.metadata],
  )
}
