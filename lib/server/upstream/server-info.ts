import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Info } from '@/lib/contracts/agents/system'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { call } from './call'
import type { CallOptions } from './call-context'

const KEPT_MS = 10 * 60_000
const MAX_KEPT = 2_000
const EMPTY: Info = { flags: {}, metadata: {} }

type Kept = { info: Info; until: number }
// On globalThis, because several copies of this module share it.
const shared = globalThis as unknown as { pilothouseServerInfo?: Map<string, Kept> }
const kept = () => {
  shared.pilothouseServerInfo ??= new Map()
  return shared.pilothouseServerInfo
}

/** What an agent server's `/info` says now; empty for servers without one. */
export async function readServerInfo(place: DeploymentPlace, options: CallOptions = {}): Promise<Info> {
  const info = await call(agentServer.getInfo, place, options).catch((error: unknown) => {
    if (error instanceof AppError && (error.code === 'unsupported' || error.code === 'not_found')) return EMPTY
    throw error
  })
  if (kept().size >= MAX_KEPT) kept().clear()
  kept().set(JSON.stringify([place.workspace, place.deploymentId]), { info, until: Date.now() + KEPT_MS })
  return info
}

/** Like `readServerInfo`, but up to 10 minutes old, and empty where the server cannot be asked. */
export async function serverInfo(place: DeploymentPlace, options: CallOptions = {}): Promise<Info> {
  const known = kept().get(JSON.stringify([place.workspace, place.deploymentId]))
  if (known && known.until > Date.now()) return known.info
  return readServerInfo(place, options).catch(() => EMPTY)
}
