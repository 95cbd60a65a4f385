import 'server-only'
import { AppError } from '@/lib/errors'
import { noteAttachedControlPlane } from '../access/attached'
import { clock } from '../process/clock'
import { env } from '../process/env'
import { log } from '../process/log'
import { newRequestId } from '../process/result'
import { shutdownSignal } from '../process/shutdown'
import { within } from '../process/within'
import { askAgentServer, askControlPlane } from '../resources/connection-test'

/** How long the start waits to learn what the addresses are, and the pause between two attempts. */
const START_MS = 2_000
const PAUSE_MS = 2_000

/**
 * Finds out what the addresses of AGENT_SERVER_URL are. Goes on in the background until each has answered; until then an
 * address counts as an agent server.
 */
export async function attach(): Promise<void> {
  await within(START_MS, Promise.all(env().AGENT_SERVER_URL.map(identify)), undefined)
}

async function identify(url: string): Promise<void> {
  for (let said = ''; !shutdownSignal().aborted; await clock().pause(PAUSE_MS)) {
    try {
      if (await isControlPlane(url)) connectControlPlane(url)
      else {
        const { version } = await askAgentServer({ url, apiKey: env().AGENT_SERVER_API_KEY }, newRequestId())
        log.info('attach.done', { url, kind: 'agent server', version })
      }
      return
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'upstream_unreachable'
      const reason = isAway ? 'It cannot be reached yet.' : (error as Error).message
      if (reason !== said) log.warn('attach.waiting', { url, reason })
      said = reason
    }
  }
}

/** Agent servers answer the list of deployments with an error, and may do so in many ways. */
async function isControlPlane(url: string): Promise<boolean> {
  const { AGENT_SERVER_API_KEY: apiKey, CONTROL_PLANE_TENANT_ID: tenantId, WIRE_DIALECT: dialect } = env()
  try {
    await askControlPlane({ baseUrl: url, auth: { apiKey, tenantId }, dialect }, newRequestId())
    return true
  } catch (error) {
    if (error instanceof AppError && error.code !== 'upstream_unreachable') return false
    throw error
  }
}

function connectControlPlane(url: string): void {
  if (env().AGENT_SERVER_URL.length > 1) {
    log.error('attach.failed', { url, reason: 'This is a control plane. Give its address alone.' })
    return
  }
  noteAttachedControlPlane(url)
  log.info('attach.done', { url, kind: 'control plane' })
}
