import { z } from 'zod'
import { JsonObject, listOf, queryBool, refused } from '../wire/fields'

/** An entry of long-term memory. `value` is free-form; only searches return `score`. */
export const Item = z.object({
  namespace: z.array(z.string()),
  key: z.string(),
  value: z.unknown(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  score: z.number().nullish(),
})
export type Item = z.output<typeof Item>

export const ItemsPage = z.object({ items: listOf(Item) })
export type ItemsPage = z.output<typeof ItemsPage>

/** Servers return the list itself or an object around it. */
export const NamespacesPage = z
  .union([z.object({ namespaces: z.array(z.array(z.string())) }), z.array(z.array(z.string()))])
  .transform((response) => (Array.isArray(response) ? { namespaces: response } : response))
export type NamespacesPage = z.output<typeof NamespacesPage>

/** A part of a namespace. Queries join parts with periods, so a part cannot contain one. */
const Label = z
  .string()
  .min(1)
  .regex(/^[^.]+$/, 'A part of a namespace cannot contain a period')
const Namespace = z.array(Label)

export const ItemPut = z.strictObject({
  namespace: Namespace,
  key: z.string().min(1),
  value: JsonObject,
  /** Paths to index for semantic search, or false for none. */
  index: z.union([z.literal(false), z.array(z.string())]).nullish(),
  /** Minutes. */
  ttl: z.number().positive().nullish(),
})
export type ItemPut = z.output<typeof ItemPut>

/**
 * The namespace is sent as one value joined by periods, which every server understands. Repeated keys are accepted too.
 */
export const GetItemQuery = z.strictObject({
  key: z.string().min(1),
  namespace: z
    .custom<string | readonly string[]>(
      (value) => typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string')),
      { error: 'Input should be a valid list', params: refused('list_type') },
    )
    .transform((value) => (typeof value === 'string' ? value : value.join('.')))
    .optional(),
  refresh_ttl: queryBool().optional(),
})

/** The parts of a namespace from `GetItemQuery`. */
export const splitNamespace = (joined: string | undefined): string[] => (joined ? joined.split('.') : [])

export const ItemDelete = z.strictObject({ namespace: Namespace.nullish(), key: z.string().min(1) })
export type ItemDelete = z.output<typeof ItemDelete>

const page = { limit: z.int().min(1).max(1000).nullish(), offset: z.int().min(0).nullish() }

export const ItemsSearch = z.strictObject({
  namespace_prefix: Namespace.nullish(),
  filter: JsonObject.nullish(),
  ...page,
  /** Semantic search, if the server has an index. */
  query: z.string().nullish(),
  refresh_ttl: z.boolean().nullish(),
})
export type ItemsSearch = z.output<typeof ItemsSearch>

export const NamespacesSearch = z.strictObject({
  prefix: z.array(z.string()).nullish(),
  suffix: z.array(z.string()).nullish(),
  max_depth: z.int().min(1).nullish(),
  ...page,
})
export type NamespacesSearch = z.output<typeof NamespacesSearch>
