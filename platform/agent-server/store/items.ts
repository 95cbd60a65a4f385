import {
  BaseStore,
  type Item,
  type MatchCondition,
  type Operation,
  type OperationResults,
} from '@langchain/langgraph-checkpoint'
import type { GraphConfig } from '../assistants/config-file'
import { type Conditions, meets } from '../kernel/conditions'
import { Where } from '../kernel/listing'
import { toDoubles } from '../kernel/numbers'
import { type Db, removeAll } from '../persistence/db'
import { type ItemIndex, textsOf } from './embeddings'
import { addFilter } from './item-filter'
import { checkPlace, ItemError } from './item-rules'

type Json = Record<string, unknown>
type Refresh = { refreshTtl?: boolean | null }
type Search = {
  filter?: Json | null
  limit?: number | null
  offset?: number | null
  query?: string | null
  only?: Conditions
} & Refresh
type Namespaces = {
  prefix?: string[] | null
  suffix?: string[] | null
  maxDepth?: number | null
  limit?: number | null
  offset?: number | null
  only?: Conditions
}
type ItemRow = {
  namespace: string[]
  key: string
  value: Json
  created_at: Date
  updated_at: Date
  score: number | null
}

/** Defaults for items: minutes to live, and whether reads renew them. */
export type ItemTtl = NonNullable<NonNullable<GraphConfig['store']>['ttl']>

const NEWEST_FIRST = 'order by updated_at desc, namespace, key'
const BEST_FIRST = 'order by score desc nulls last, updated_at desc, namespace, key'

/**
 * Long-term memory of a deployment, shared by its threads: the Store operations, and the `store` of graphs. The
 * library's own store matches the prefix `user:1` to `user:10`, needs a separate pool, and fails when a number is
 * compared with text.
 */
export class ItemStore extends BaseStore {
  constructor(
    private readonly db: Db,
    private readonly ttl: ItemTtl = {},
    /** `exact` keeps numbers as they were written; graphs need `doubles`. */
    private readonly numbers: 'exact' | 'doubles' = 'doubles',
    /** Without one, `index` and `query` are ignored. */
    private readonly index?: ItemIndex,
  ) {
    super()
  }

  /** `ttl` is in minutes; null keeps the item until it is deleted, whatever the deployment's default. */
  override async put(
    namespace: string[],
    key: string,
    value: Json,
    index?: false | string[] | null,
    { ttl }: { ttl?: number | null } = {},
  ): Promise<void> {
    checkPlace('namespace', namespace, key)
    const given = checked(value)
    const vectors = index === false ? [] : ((await this.index?.embed(textsOf(given, index ?? this.index.fields))) ?? [])
    await this.db.query(
      `with item as (
         insert into items (namespace, key, value, ttl_minutes, expires_at)
         values ($1, $2, $3, $4::float8, now() + $4::float8 * interval '1 minute')
         on conflict (namespace, key) do update set value = excluded.value, ttl_minutes = excluded.ttl_minutes,
           expires_at = excluded.expires_at, updated_at = now(),
           created_at = case when items.expires_at <= now() then now() else items.created_at end
         returning id
       ), gone as (delete from item_vectors where item_id in (select id from item))
       insert into item_vectors (item_id, vector)
       select id, array(select one::real from jsonb_array_elements_text(vector) with ordinality as v (one, n) order by n)
       from item, jsonb_array_elements($5::jsonb) as vector`,
      [namespace, key, given, ttl === undefined ? this.ttl.default_ttl : ttl, JSON.stringify(vectors)],
    )
  }

  /** Null if there is none. Renews the time to live unless `refreshTtl`, or by default the deployment, disables it. */
  override async get(namespace: string[], key: string, { refreshTtl }: Refresh = {}): Promise<Item | null> {
    checkPlace('namespace', namespace, key)
    const where = new Where().add('namespace = $?::text[]', namespace).add('key = $?', key)
    const [item] = await this.#find(where, '', refreshTtl)
    return item ?? null
  }

  override async delete(namespace: string[], key: string): Promise<void> {
    checkPlace('namespace', namespace, key)
    await this.db.query('delete from items where namespace = $1::text[] and key = $2', [namespace, key])
  }

  /** Items in the namespace and below it, most recently written first; with a query and an index, the most similar first. */
  override async search(
    prefix: string[],
    { filter, limit, offset, query, refreshTtl, only }: Search = {},
  ): Promise<Item[]> {
    checkPlace('namespace_prefix', prefix)
    const where = new Where()
    const last = prefix.at(-1)
    // In this collation nothing sorts between a label and that label followed by the smallest character.
    if (last !== undefined)
      where.add('namespace >= $?::text[] and namespace < $?::text[]', prefix, [...prefix.slice(0, -1), `${last}\u0001`])
    if (filter) addFilter(where, filter)
    where.addIf(only, meets(`(fields || ${PLACE})`))
    const [wanted] = (query && (await this.index?.embed([query]))) || []
    // Bound as a condition that always holds, to use it in the score.
    if (wanted) where.add('cardinality($?::real[]) > 0', wanted)
    const score = wanted
      ? scoreBy(`$${where.values.length}::real[]`, wanted.length > MOST_DIMENSIONS ? undefined : this.index?.pgvector)
      : ''
    const order = wanted ? BEST_FIRST : NEWEST_FIRST
    const page = `${order} limit ${limit ?? 10} offset ${offset ?? 0}`
    return this.#find(where, page, refreshTtl, `${filter || only ? FIELDS : ''} ${score}`, order)
  }

  /** Sorted and distinct; `*` in a prefix or suffix matches any label. Deeper ones are cut to `maxDepth` labels. */
  override async listNamespaces({
    prefix,
    suffix,
    maxDepth,
    limit,
    offset,
    only,
  }: Namespaces = {}): Promise<string[][]> {
    const where = new Where().add(IS_ALIVE).addIf(only, meets(`jsonb_build_object('namespace', namespace)`))
    addParts(where, prefix ?? [], (index) => `namespace[${index}]`)
    addParts(where, suffix ?? [], (index, count) => `namespace[cardinality(namespace) - ${count - index}]`)
    const found = await this.db.query<{ namespace: string[] }>(
      `select distinct ${maxDepth ? `namespace[1:${maxDepth}] as namespace` : 'namespace'} from items ${where.text}
       order by 1 limit ${limit ?? 100} offset ${offset ?? 0}`,
      where.values,
    )
    return found.map(({ namespace }) => namespace)
  }

  /** Performs operations in order, for graphs that bring their own copy of the runtime. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = []
    for (const operation of operations) results.push(await this.#perform(operation))
    return results as OperationResults<Op>
  }

  /** Removes expired items and returns how many. */
  sweep(portion?: number): Promise<number> {
    // Asked twice: a write may renew an item that is about to be removed.
    const isExpired = 'expires_at <= now()'
    const statement = `delete from items where id in (select id from items where ${isExpired} limit $1) and ${isExpired}`
    return removeAll(this.db.query, statement, portion)
  }

  #perform(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) return this.search(operation.namespacePrefix, operation)
    if ('value' in operation) {
      const { namespace, key, value, index, options } = operation as typeof operation & { options?: { ttl?: number } }
      return value === null ? this.delete(namespace, key) : this.put(namespace, key, value, index, options)
    }
    if ('key' in operation) return this.get(operation.namespace, operation.key)
    const path = (type: MatchCondition['matchType']) =>
      operation.matchConditions?.find(({ matchType }) => matchType === type)?.path
    return this.listNamespaces({ ...operation, prefix: path('prefix'), suffix: path('suffix') })
  }

  async #find(
    where: Where,
    page: string,
    refreshTtl: boolean | null | undefined,
    joined = '',
    order = NEWEST_FIRST,
  ): Promise<Item[]> {
    where.add(IS_ALIVE)
    const score = order === BEST_FIRST ? 'score' : 'null::float8 as score'
    const rows = await this.db.query<ItemRow>(
      `with found as (select id, namespace, key, value, created_at, updated_at, ttl_minutes, ${score} from items
         ${joined} ${where.text} ${page})
       ${(refreshTtl ?? this.ttl.refresh_on_read) === false ? '' : RENEW}
       select namespace, key, value, created_at, updated_at, score from found ${order}`,
      where.values,
    )
    return rows.map(({ created_at, updated_at, value, score, ...item }) => ({
      ...item,
      value: this.numbers === 'exact' ? value : toDoubles(value),
      createdAt: created_at,
      updatedAt: updated_at,
      ...(score !== null && { score }),
    }))
  }
}

/** What pgvector's type holds. */
const MOST_DIMENSIONS = 16_000

/**
 * Joins the similarity to a vector; items that were not indexed have none, nor have those of a model of other dimensions.
 * All vectors have length 1, so their inner product is the cosine, which pgvector's operator returns negated.
 */
function scoreBy(vector: string, pgvector: string | undefined): string {
  const product = pgvector
    ? `-(vector::${pgvector}.vector operator(${pgvector}.<#>) ${vector}::${pgvector}.vector)`
    : `(select sum(a * b) from unnest(vector, ${vector}) as t (a, b))`
  return `left join lateral (select max(${product})::float8 as score from item_vectors
    where item_id = items.id and cardinality(vector) = cardinality(${vector})) s on true`
}

/** An item's place, for conditions on it. */
const PLACE = `jsonb_build_object('namespace', namespace, 'key', key)`
/** Hides expired items, whether or not they were swept. */
const IS_ALIVE = '(expires_at is null or expires_at > now())'
/** `offset 0` prevents inlining, so that a value is converted to jsonb once instead of once per condition. */
const FIELDS = `cross join lateral (select as_json(convert_to(value::text, 'UTF8')) as fields offset 0) f`
const RENEW = `, renewed as (update items set expires_at = now() + ttl_minutes * interval '1 minute'
  where id in (select id from found where ttl_minutes is not null))`

function addParts(where: Where, parts: readonly string[], place: (index: number, count: number) => string): void {
  if (parts.length) where.add('cardinality(namespace) >= $?::int', parts.length)
  for (const [index, part] of parts.entries())
    if (part !== '*') where.add(`${place(index + 1, parts.length)} = $?`, part)
}

function checked(value: unknown): object {
  // Graph code may pass anything, whatever the library's type says.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ItemError('value', 'The value of an item must be an object')
  return value
}
