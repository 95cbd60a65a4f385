import 'server-only'
import { createHash } from 'node:crypto'
import { env } from '../process/env'

/** A registered agent server with its key. It must never leave this server. */
export type DirectServer = { id: string; name: string; url: string; apiKey?: string; createdAt: string }

// On globalThis: instrumentation and the pages each have their own copy of this module.
const shared = globalThis as { pilothouseAttachedControlPlane?: string }

/** The address in AGENT_SERVER_URL that has answered as a control plane; undefined if none has. */
export function attachedControlPlane(): string | undefined {
  return env().AGENT_SERVER_URL.find((url) => url === shared.pilothouseAttachedControlPlane)
}

export function noteAttachedControlPlane(url: string): void {
  shared.pilothouseAttachedControlPlane = url
}

/** What people call a server: its host, with the path if it has one. */
export function nameOfAddress(address: string): string {
  const { host, pathname } = new URL(address)
  return `${host}${pathname.replace(/\/+$/, '')}`
}

/** The agent servers of AGENT_SERVER_URL. Like all of the environment, they are never stored. */
export function attachedServers(): DirectServer[] {
  const { AGENT_SERVER_URL: addresses, AGENT_SERVER_API_KEY: apiKey } = env()
  // The time at which this console attached to them.
  const createdAt = new Date(performance.timeOrigin).toISOString()
  return addresses.map((url) => ({
    id: idOf(url),
    name: nameOfAddress(url),
    url,
    ...(apiKey && { apiKey }),
    createdAt,
  }))
}

/** A UUID that an address always has, so that recordings stay with their server when the list changes. */
function idOf(url: string): string {
  const digest = createHash('sha256').update(`attached agent server ${url}`).digest('hex')
  return digest.replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5')
}
