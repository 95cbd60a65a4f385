import { z } from 'zod'

/** What a listener and its control plane say to each other. The listener opens every connection. */

const Labels = z.record(z.string(), z.string())
const JsonObject = z.record(z.string(), z.unknown())
const Manifests = z.object({ owner: JsonObject, owned: z.array(JsonObject) })

const Base = z.object({
  id: z.string(),
  /** The span of the control plane that it is part of. */
  traceparent: z.string().optional(),
})

/** One change of the cluster. Each may be repeated: a lost answer means that it is sent again. */
export const Command = z.discriminatedUnion('kind', [
  Base.extend({ kind: z.literal('check'), manifests: Manifests }),
  Base.extend({ kind: z.literal('apply'), manifests: Manifests }),
  Base.extend({ kind: z.literal('pointService'), service: JsonObject }),
  Base.extend({ kind: z.literal('remove'), namespace: z.string(), labels: Labels, isForced: z.boolean() }),
  Base.extend({ kind: z.literal('valuesOf'), namespaces: z.array(z.string()), labels: Labels, label: z.string() }),
])
export type Command = z.output<typeof Command>

/** What the listener reports on until it is no longer in the list. */
export const Followed = z.object({
  id: z.string(),
  namespace: z.string(),
  labels: Labels,
  /** The time of the last line that arrived. */
  since: z.string().nullable(),
})
export type Followed = z.output<typeof Followed>

/** `POST /v1/listener/work`, answered once there is something to do, at the latest after `WORK_WAIT_MS`. */
export const WorkRequest = z.object({
  /** Another one after each start of the listener. */
  session: z.string().min(8).max(64),
  version: z.string().max(64),
  /** The cluster's name, for messages. */
  cluster: z.string().max(200),
  /** Where the control plane's gateway reaches a service of the cluster. */
  agentUrl: z.string().max(500),
  /** Whether it carries the gateway's connections itself, so that nothing else has to reach the cluster. */
  hasTunnels: z.boolean().optional(),
  /** Host and port at which pods reach the control plane's database, if not its own. */
  database: z.string().max(300).nullable(),
  /** Commands that it received and has not answered. */
  working: z.array(z.string()).max(20_000),
  /** The version of the list of what to follow that it has. */
  follows: z.number().int(),
})
export type WorkRequest = z.output<typeof WorkRequest>

export const Work = z.object({
  commands: z.array(Command),
  follows: z.object({ version: z.number().int(), list: z.array(Followed) }).nullable(),
})
export type Work = z.output<typeof Work>

const Result = z.object({
  id: z.string(),
  value: z.unknown().optional(),
  error: z.object({ message: z.string(), isFinal: z.boolean() }).optional(),
})

/** What one report holds at most; the rest comes with the next. An observation has all pods of a revision. */
export const MOST_REPORTED = { results: 1000, observations: 100, lines: 1000 }

/** `POST /v1/listener/report`. Sent again until it is answered; observations replace each other. */
export const Report = z.object({
  session: z.string(),
  /** Increases with each report; a repeated one is ignored. */
  number: z.number().int(),
  results: z.array(Result).max(1000),
  observations: z.array(z.object({ id: z.string(), observation: JsonObject })).max(1000),
  lines: z
    .array(z.object({ id: z.string(), pod: z.string(), container: z.string(), time: z.string(), text: z.string() }))
    .max(2000),
  /** Whether the listener itself does not reach its cluster, and since when. */
  clusterAwaySince: z.string().nullable(),
})
export type Report = z.output<typeof Report>

export const WORK_WAIT_MS = 20_000
export const WORK_PATH = '/v1/listener/work'
export const REPORT_PATH = '/v1/listener/report'
