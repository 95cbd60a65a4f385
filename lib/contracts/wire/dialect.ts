import { isContainer } from '@/lib/json/guards'
import { setOwn } from '../../json/lossless'

/**
 * The only file that knows the brand in wire keys. Responses go through `fromWire`, requests through `toWire` just
 * before sending; user data (state, input, context) is never touched.
 */

export const DIALECTS = ['graph', 'langgraph'] as const
export type Dialect = (typeof DIALECTS)[number]
export const DEFAULT_DIALECT: Dialect = 'graph'

/** Names of a project's configuration file, in lookup order. */
export const CONFIG_FILES = ['graph.json', 'langgraph.json'] as const
export const CONFIG_FILE: Record<Dialect, string> = { graph: 'graph.json', langgraph: 'langgraph.json' }

const OURS = 'graph_'
const BRAND = 'langgraph_'

/** Keys that are translated when sending, without their prefix. Not `id`, because `graph_id` belongs to no brand. */
const WRITTEN = ['config_path', 'node', 'step', 'triggers', 'path', 'checkpoint_ns'] as const

/** Objects in a record that can have such keys, in addition to the record itself. */
const PLACES = ['source_revision_config', 'metadata', 'config', 'configurable', 'kwargs', 'payload', 'extra'] as const
/** Containers of records. */
const LISTS = ['resources', 'tasks', 'runs', 'items', 'checkpoint', 'parent_config', 'state'] as const
const WALKED: ReadonlySet<string> = new Set([...PLACES, ...LISTS])

/** Translates a response to the default dialect. Copies what it changes; unknown branded keys are renamed too. */
export function fromWire(value: unknown): unknown {
  return rename(value, (key) => (key.startsWith(BRAND) ? OURS + key.slice(BRAND.length) : key))
}

/** Translates a request to the server's dialect. */
export function toWire(value: unknown, dialect: Dialect): unknown {
  if (dialect === 'graph') return value
  const names = new Map<string, string>(WRITTEN.map((name) => [OURS + name, BRAND + name]))
  return rename(value, (key) => names.get(key) ?? key)
}

/** The key under which clients of protocol 2 look for a message's node. */
export const NODE_KEY = `${BRAND}node`

/** Under which a graph with custom authentication finds its caller in `configurable`. */
export const CALLER_KEYS = {
  user: `${BRAND}auth_user`,
  id: `${BRAND}auth_user_id`,
  permissions: `${BRAND}auth_permissions`,
} as const
/** The identity of an operator's console, which the auth handlers of deployments know. */
export const CONSOLE_USER = { kind: 'StudioUser', identity: 'langgraph-studio-user' } as const
/** The header with which a console asks to be let in as that user. */
export const CONSOLE_SCHEME = { header: 'x-auth-scheme', value: 'langsmith' } as const

/** A record with its keys of the brand under both names, for clients that read either. */
export const inBothDialects = (record: object): object => ({ ...record, ...(fromWire(record) as object) })

type Renaming = (key: string) => string
type Job = { from: object; to: object }

/**
 * Renames keys of records and of known places in them. Iterative, and walks nothing else, because state can be large
 * and deep.
 */
function rename(value: unknown, name: Renaming): unknown {
  if (!isContainer(value)) return value
  const result: object = Array.isArray(value) ? [] : {}
  const jobs: Job[] = [{ from: value, to: result }]
  const copy = (item: unknown): unknown => {
    if (!isContainer(item)) return item
    const to = Array.isArray(item) ? [] : {}
    jobs.push({ from: item, to })
    return to
  }
  for (let job = jobs.pop(); job; job = jobs.pop()) {
    const { from, to } = job
    if (Array.isArray(from)) {
      for (const item of from) (to as unknown[]).push(copy(item))
      continue
    }
    for (const [key, item] of Object.entries(from)) {
      const renamed = name(key)
      // A record with both keys keeps both, so that neither overwrites the other.
      const isTaken = renamed !== key && Object.hasOwn(from, renamed)
      setOwn(to, isTaken ? key : renamed, WALKED.has(key) ? copy(item) : item)
    }
  }
  return result
}

/** The dialect that a record shows, undefined if it shows none. For workspaces with `auto`. */
export function detectDialect(record: unknown): Dialect | undefined {
  const jobs: unknown[] = [record]
  let found: Dialect | undefined
  for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
    if (!isContainer(job)) continue
    if (Array.isArray(job)) {
      jobs.push(...job.slice(0, 100))
      continue
    }
    for (const [key, item] of Object.entries(job)) {
      // Branded keys are unmistakable; ours could be a user's, so they only count if nothing else is found.
      if (key.startsWith(BRAND)) return 'langgraph'
      if (WRITTEN.some((name) => key === OURS + name)) found = 'graph'
      if (WALKED.has(key)) jobs.push(item)
    }
  }
  return found
}

/**
 * Reads a key of stream metadata (`node`, `step`, `checkpoint_ns` …) in either dialect. Cheaper than renaming each
 * event.
 */
export function readKey(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return record[OURS + name] ?? record[BRAND + name]
}

/** Keys that servers add for authentication, in both spellings, for redaction. */
export const AUTH_KEY = /^(lang)?graph_auth_/

/** Client libraries of agent servers, by their registry names. */
export const SDK = { npm: '@langchain/langgraph-sdk', python: 'langgraph_sdk' } as const
