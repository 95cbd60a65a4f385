import { z } from 'zod'
import { openEnum, pageQuery } from '../wire/fields'

/** `k8s` is the platform's; `process` is the embedded platform's. */
export const COMPUTE_TYPES = ['k8s', 'process'] as const

const ComputeConfig = z.object({ k8s_namespaces: z.array(z.string()).nullish() })

/** What nothing has been heard of: the listener, or the cluster behind it. `since`: null if it never connected. */
const Away = z.object({ who: z.enum(['listener', 'cluster']), since: z.string().nullable() })

/** `token`: null for the platform itself, which needs none and cannot be changed. */
const Connection = z.object({ away: Away.nullable(), token: z.enum(['valid', 'revoked']).nullable() })
export type ListenerConnection = z.output<typeof Connection>

export const Listener = z.object({
  id: z.string(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  compute_type: openEnum(COMPUTE_TYPES),
  /** The cluster's display name; unique in a workspace. */
  compute_id: z.string().nullish(),
  compute_config: ComputeConfig.nullish(),
  version: z.string().nullish(),
  /** Only the embedded platform sends it. */
  connection: Connection.nullish(),
})
export type Listener = z.output<typeof Listener>

export const ListenersList = z.object({ resources: z.array(Listener), offset: z.int() })
export type ListenersList = z.output<typeof ListenersList>

/** What a listener signs in with. Shown once: only its hash is stored. */
export const ListenerToken = z.object({
  token: z.string(),
  /** Where clusters reach the platform, if its operator has said it. */
  platform_url: z.string().nullish(),
})
export type ListenerToken = z.output<typeof ListenerToken>

/** With its token, which only the embedded platform gives. */
export const ListenerCreated = Listener.extend({
  token: z.string().nullish(),
  platform_url: z.string().nullish(),
})
export type ListenerCreated = z.output<typeof ListenerCreated>

const ComputeConfigRequest = z.strictObject({ k8s_namespaces: z.array(z.string().min(1)).nullish() })

/** What a control plane says about the listener of a deployment. `away`: null while listener and cluster answer. */
export const ListenerState = z.object({ name: z.string(), away: Away.nullish() })
export type ListenerState = z.output<typeof ListenerState>

export const ListenerCreate = z.strictObject({
  compute_type: z.enum(COMPUTE_TYPES),
  compute_id: z.string().min(1),
  compute_config: ComputeConfigRequest.nullish(),
  version: z.string().nullish(),
})
export type ListenerCreate = z.output<typeof ListenerCreate>

/** Compute type and id cannot be changed. */
export const ListenerPatch = z.strictObject({
  compute_config: ComputeConfigRequest.nullish(),
  version: z.string().nullish(),
})
export type ListenerPatch = z.output<typeof ListenerPatch>

export const ListListenersQuery = z.strictObject(pageQuery)
