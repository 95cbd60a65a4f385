import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { metrics } from '../process/metrics'

/** First segments below `/api/`, so that a made-up address makes no new label. */
export const API_ROUTES = [
  'activity',
  'alerts',
  'audit',
  'auth',
  'causes',
  'changes',
  'deployments',
  'experiments',
  'export',
  'forks',
  'history',
  'inbox',
  'live',
  'logs',
  'prices',
  'protocols',
  'public',
  'recordings',
  'relay',
  'runs',
  'templates',
  'threads',
  'traces',
  'v1',
]
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
const LEFT = 499

function routeOf(path: string | undefined, isAction: boolean): string {
  if (path === undefined) return 'elsewhere'
  const [, first = '', second = ''] = path.split('/')
  if (first === 'api') return API_ROUTES.includes(second) ? `/api/${second}` : '/api/other'
  if (first === '_next') return 'asset'
  if (first === 'docs') return '/docs'
  if (['healthz', 'readyz', 'metrics'].includes(first)) return `/${first}`
  return isAction ? 'action' : 'page'
}

/** Counts a request when the head of its response is sent, or when its client leaves before. `path` is that of a route. */
export function measureRequest(request: IncomingMessage, response: ServerResponse, path: string | undefined): void {
  const began = performance.now()
  const route = routeOf(path, request.headers['next-action'] !== undefined)
  const method = METHODS.find((one) => one === request.method) ?? 'other'
  let isCounted = false
  const count = (status: number) => {
    if (isCounted) return
    isCounted = true
    metrics().requests.inc({ route, method, status })
    metrics().requestSeconds.observe({ route }, (performance.now() - began) / 1000)
  }
  const { writeHead } = response
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    count(status)
    return Reflect.apply(writeHead, response, [status, ...rest])
  }) as typeof writeHead
  response.once('close', () => count(LEFT))
}
