import { z } from 'zod'
import { JsonObject, objectOrEmpty, queryBool, searchPage, sortBy } from '../wire/fields'

/** A configured instance of a graph. Versions have the same form; some servers leave fields of them out. */
export const Assistant = z.object({
  assistant_id: z.string(),
  graph_id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  config: objectOrEmpty,
  context: objectOrEmpty,
  metadata: objectOrEmpty,
  version: z.int().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
})
export type Assistant = z.output<typeof Assistant>

/** Nodes and edges; `__start__` and `__end__` are virtual. With `xray`, a subgraph's node ids are `parent:child`. */
export const AssistantGraph = z.object({
  nodes: z.array(
    z.object({
      id: z.union([z.string(), z.number()]),
      name: z.string().nullish(),
      type: z.string().nullish(),
      data: z.unknown().optional(),
      metadata: z.unknown().optional(),
    }),
  ),
  edges: z.array(
    z.object({
      id: z.union([z.string(), z.number()]).nullish(),
      source: z.union([z.string(), z.number()]),
      target: z.union([z.string(), z.number()]),
      data: z.unknown().optional(),
      conditional: z.boolean().nullish(),
    }),
  ),
})
export type AssistantGraph = z.output<typeof AssistantGraph>

const jsonSchema = JsonObject.nullish()

/** A graph's JSON Schemas. Any can be missing if the server cannot derive it. */
export const GraphSchema = z.object({
  graph_id: z.string().nullish(),
  input_schema: jsonSchema,
  output_schema: jsonSchema,
  state_schema: jsonSchema,
  config_schema: jsonSchema,
  context_schema: jsonSchema,
})
export type GraphSchema = z.output<typeof GraphSchema>

/** Subgraphs by namespace. */
export const GraphSchemas = z.record(z.string(), GraphSchema)

export const AssistantCreate = z.strictObject({
  graph_id: z.string().min(1),
  assistant_id: z.guid().nullish(),
  config: JsonObject.nullish(),
  context: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  /** What to do if the id exists; servers default to `raise`. */
  if_exists: z.enum(['raise', 'do_nothing']).nullish(),
  name: z.string().nullish(),
  description: z.string().nullish(),
})
export type AssistantCreate = z.output<typeof AssistantCreate>

/** Creates a new version. `metadata` is merged; every other given field is replaced. */
export const AssistantPatch = z.strictObject({
  graph_id: z.string().min(1).nullish(),
  config: JsonObject.nullish(),
  context: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  name: z.string().nullish(),
  description: z.string().nullish(),
})
export type AssistantPatch = z.output<typeof AssistantPatch>

const filters = {
  metadata: JsonObject.nullish(),
  graph_id: z.string().nullish(),
  /** Part of the name, case-insensitive. */
  name: z.string().nullish(),
}

export const AssistantsSearch = z.strictObject({
  ...filters,
  ...searchPage,
  ...sortBy('assistant_id', 'created_at', 'updated_at', 'name', 'graph_id'),
  select: z.array(z.string()).nullish(),
})
export type AssistantsSearch = z.output<typeof AssistantsSearch>

export const AssistantsCount = z.strictObject(filters)
export const AssistantVersionsSearch = z.strictObject({ metadata: JsonObject.nullish(), ...searchPage })
export const SetLatestVersion = z.strictObject({ version: z.int().min(1) })
export const DeleteAssistantQuery = z.strictObject({ delete_threads: queryBool().optional() })
export const SubgraphsQuery = z.strictObject({ recurse: queryBool().optional() })
/** `xray`: true for subgraphs of any depth, or the depth. */
export const GraphQuery = z.strictObject({
  xray: z
    .custom<boolean | number | string>((value) => /^(true|false|\d{1,3})$/i.test(String(value)), {
      error: 'Input should be a valid boolean or integer',
      params: { type: 'bool_parsing' },
    })
    .transform((value) => (/^\d+$/.test(String(value)) ? Number(value) : String(value).toLowerCase() === 'true'))
    .optional(),
})
