import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { readEmbeddingEndpoint } from '../../kernel/env'
import type { GraphConfig } from '../assistants/config-file'
import { registerModuleHooks } from '../assistants/module-hooks'
import { HttpError } from '../kernel/errors'
import type { Db } from '../persistence/db'

type Embed = (texts: string[]) => Promise<number[][]>
/** How the items of a deployment are found by meaning. */
export type ItemIndex = {
  embed: Embed
  fields: readonly string[]
  /** The schema of the pgvector extension, if the database has it. */
  pgvector?: string | undefined
}
type IndexConfig = NonNullable<NonNullable<GraphConfig['store']>['index']>

const TIME_LIMIT_MS = 30_000

/**
 * The index that a configuration asks for; undefined if it asks for none or for a model that is not available, which is
 * logged. Throws if a module of the deployment cannot be loaded.
 */
export async function openIndex(
  config: IndexConfig | null | undefined,
  folder: string,
  log: (line: string) => void,
): Promise<ItemIndex | undefined> {
  if (!config?.embed) return undefined
  const { embed: name, dims, fields } = config
  const embed = /^\.{0,2}\//.test(name) ? await fromModule(name, folder) : fromEndpoint(name, dims ?? undefined)
  if (typeof embed !== 'string') return { embed: unit(embed), fields: fields?.length ? fields : ['$'] }
  log(`Items are not searched by meaning: ${embed}`)
  return undefined
}

/** The schema of the pgvector extension, which compares vectors faster; undefined if the database does not have it. */
export async function findPgvector(db: Db): Promise<string | undefined> {
  const [row] = await db.query<{ schema: string }>(
    `select quote_ident(nspname) as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
     where extname = 'vector' and has_schema_privilege(n.oid, 'usage')`,
  )
  return row?.schema
}

/** A function from texts to vectors, or an object with `embedDocuments`, exported by a module of the deployment. */
async function fromModule(place: string, folder: string): Promise<Embed> {
  const [file = '', name = 'default'] = place.split(':')
  registerModuleHooks()
  const module = (await import(pathToFileURL(path.resolve(folder, file)).href)) as Record<string, unknown>
  const found = module[name] as Embed | { embedDocuments?: Embed } | undefined
  if (typeof found === 'function') return found
  if (typeof found?.embedDocuments === 'function') return (texts) => (found.embedDocuments as Embed).call(found, texts)
  throw new Error(`store.index.embed: ${place} exports neither a function nor embeddings`)
}

/** A model of an OpenAI-compatible endpoint, or the reason why there is none. */
function fromEndpoint(name: string, dimensions: number | undefined): Embed | string {
  const [provider, model] = name.split(/:(.*)/)
  const { url, key } = readEmbeddingEndpoint()
  if (provider !== 'openai' || !model)
    return `${name} is not available; use openai:MODEL with OPENAI_BASE_URL, or ./file.mjs:export.`
  if (!key) return `${name} needs OPENAI_API_KEY.`
  return async (input) => {
    const response = await fetch(`${url}/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input, dimensions }),
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    if (!response.ok) throw new Error(`The embedding model responded with status ${response.status}.`)
    const { data } = (await response.json()) as { data: { index: number; embedding: number[] }[] }
    return data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding)
  }
}

/** Vectors of length 1, so that their product is their similarity. */
const unit =
  (embed: Embed): Embed =>
  async (texts) => {
    if (texts.length === 0) return []
    const vectors = await embed(texts).catch((error: Error) => {
      throw new HttpError(502, `The texts cannot be embedded: ${error.message}`)
    })
    return vectors.map((vector) => {
      const length = Math.hypot(...vector) || 1
      return vector.map((one) => one / length)
    })
  }

/** The texts of an item's fields; `$` is the whole value, `a.b`, `a[0]` and `a[*]` lead into it. */
export function textsOf(value: unknown, fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    let found = [value]
    for (const [, key, index] of field === '$' ? [] : field.matchAll(/([^.[\]]+)|\[(-?\d+|\*)\]/g))
      found = found.flatMap((one) => {
        if (typeof one !== 'object' || one === null) return []
        if (key !== undefined) return [(one as Record<string, unknown>)[key]]
        return Array.isArray(one) ? (index === '*' ? one : [one.at(Number(index))]) : []
      })
    return found
      .filter((one) => one !== undefined && one !== null)
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  })
}
