import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { agentServer } from '@/lib/contracts/agent-server'
import { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import { controlPlane } from '@/lib/contracts/control-plane'
import { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import { traces } from '@/lib/contracts/traces'
import { TraceRunCreate } from '@/lib/contracts/traces/intake'
import { tracesSchemas } from '@/lib/contracts/traces.schemas'
import { actionRequests, multipartRequests, operationRequests, routeRequests, surface } from './requests'

// Everything of the product that answers requests, with its part of them.

export const controlPlaneSurface = () =>
  surface('control plane', 3, operationRequests(controlPlane, controlPlaneSchemas, { client: 'platform', prefix: '' }))

export const tracesSurface = () =>
  surface('traces', 3, [
    ...operationRequests(traces, tracesSchemas, { client: 'platform', prefix: '' }),
    multipartRequests(TraceRunCreate),
  ])

/** The agent server at `prefix`: behind the gateway, or by itself. */
export const agentSurface = (prefix: string) =>
  surface('agent server', 5, operationRequests(agentServer, agentServerSchemas, { client: 'platform', prefix }))

const at = (prefix: string) => ({ client: 'console' as const, prefix, headers: { origin: '~origin~' } })
const isRead = ({ effect }: { effect: string }) => effect === 'read'
export const relaySurface = () =>
  surface('relay', 3, [
    ...operationRequests(controlPlane, controlPlaneSchemas, at('/api/relay/local/control-plane'), isRead),
    ...operationRequests(traces, tracesSchemas, at('/api/relay/local/traces'), isRead),
    ...operationRequests(agentServer, agentServerSchemas, at('/api/relay/local/agents/~deployment~'), isRead),
  ])

/** The pages and route handlers in `app`. */
export function routesIn(root: string): { path: string; method: string }[] {
  const files = readdirSync(path.join(root, 'app'), { recursive: true, encoding: 'utf8' })
  return files.flatMap((file) => {
    const place = `/${path.dirname(file)}`.replace(/\/\([^)]+\)/g, '').replace(/\/\.$/, '/')
    if (path.basename(file) === 'page.tsx') return [{ path: place, method: 'GET' }]
    if (path.basename(file) !== 'route.ts') return []
    const text = readFileSync(path.join(root, 'app', file), 'utf8')
    const found = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) =>
      new RegExp(`export[^\\n]*\\b${method}\\b`).test(text),
    )
    return found.map((method) => ({ path: place, method }))
  })
}

export const routeSurface = (root: string) => surface('routes and pages', 3, routeRequests(routesIn(root)))

export const actionSurface = (actions: { name: string; id: string; example: unknown[] }[]) =>
  surface('actions', 3, actionRequests(actions))
