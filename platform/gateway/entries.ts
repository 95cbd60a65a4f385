import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { createSealer } from '../kernel/seal'

// What the platform and the gateways that run apart have in common.

/** Announces that entries have changed. */
export const CHANNEL = 'platform_gateways'
/** The key of the entry with the policy. */
export const POLICY = 'policy'

/** What applies to the requests of all deployments. */
export const Policy = z.object({
  /** Of the platform's API key, which gateways need not know. */
  keyHash: z.string(),
  corsOrigins: z.union([z.literal('*'), z.array(z.string()).readonly()]),
  publicCards: z.boolean(),
})
export type Policy = z.output<typeof Policy>

const PublishedServers = z.object({
  /** Stays the same as long as the servers do. */
  id: z.string(),
  authenticates: z.boolean(),
  endsWithPlatform: z.boolean(),
  /** Null if only the platform reaches them. */
  address: z
    .object({
      host: z.string(),
      ports: z.array(z.number()),
      isSecure: z.boolean(),
      prefix: z.string(),
      secret: z.string(),
      /** Which loopback interface it is about, if any. */
      loopback: z.string().nullable(),
    })
    .nullable(),
})
export type PublishedServers = z.output<typeof PublishedServers>

/** What a gateway knows of a deployment. */
export const Entry = z.object({
  customUrl: z.string().nullable(),
  servers: PublishedServers.nullable(),
  /** Why it has none, and none is on its way. */
  reason: z.string().optional(),
  /** Whether its servers are being started again. */
  isReturning: z.boolean().optional(),
})
export type Entry = z.output<typeof Entry>

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Opens and seals entries. */
export const entrySealer = (gatewayKey: string) => createSealer(createHash('sha256').update(gatewayKey).digest())

/** The PostgreSQL role of the gateways, which follows from their key. */
export function gatewayRole(gatewayKey: string): { name: string; password: string } {
  const derive = (purpose: string) => createHmac('sha256', gatewayKey).update(purpose)
  return {
    name: `gateway_${derive('database role').digest('hex').slice(0, 16)}`,
    password: derive('database password').digest('base64url'),
  }
}

const LOCK_CLASS = `('platform.gateway_copies'::regclass::oid::bigint & 2147483647)::int`

/** Takes the lock of a gateway's number. It ends with the connection. */
export const lockOf = (id: string): string => `pg_advisory_lock(${LOCK_CLASS}, ${id})`

/** Whether the gateway of that number is connected, as an SQL condition. */
export const isConnected = (id: string): string =>
  `exists (select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
     and l.database = (select oid from pg_database where datname = current_database())
     and l.classid = (${LOCK_CLASS})::oid and l.objid = ${id}::oid)`
