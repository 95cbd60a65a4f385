import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { LOOPBACK, listenOn } from '../kernel/listen'
import { Metrics } from '../kernel/metrics'
import { serveInSpan } from '../kernel/telemetry'
import { Copy, type CopyOptions } from './copy'
import { createGateway, refuse } from './gateway'
import { RELAYED } from './headers'

export type GatewayProcessOptions = CopyOptions & {
  host?: string | undefined
  port?: number
  metricsToken?: string | undefined
  /** How long a stop waits for open requests. */
  drainMs: number
}
export type RunningGateway = {
  /** Where it listens. */
  url: string
  /** Takes no more connections, and resolves when the open ones have ended or their time is over. */
  stop(): Promise<void>
}

const LOOK_MS = 50
const NOT_CURRENT = 'This gateway is not ready. Try again shortly.'
const LOOP = 'PILOTHOUSE_PLATFORM_URL of the gateway leads to a gateway. Set it to the address of the platform itself.'

/** The gateway as a process of its own. Any number of them can run beside each other and the platform. */
export async function startGateway(options: GatewayProcessOptions): Promise<RunningGateway> {
  const { host = LOOPBACK } = options
  const copy = new Copy(options)
  const metrics = new Metrics(options.metricsToken)
  metrics.addGauge('platform_gateway_connected', 'Whether the gateway follows the database', () =>
    copy.problem ? 0 : 1,
  )
  metrics.addGauge('platform_gateway_deployments', 'Deployments that the gateway knows', () => copy.deployments)
  const gateway = createGateway({
    target: (id) => copy.route(id),
    whyDown: (id) => copy.whyDown(id),
    isKey: (given) => copy.isKey(given),
    customUrls: copy.customUrls,
    get corsOrigins() {
      return copy.policy?.corsOrigins ?? []
    },
    get publicCards() {
      return copy.policy?.publicCards ?? false
    },
  })
  let isStopping = false
  /** Why nothing is forwarded now. */
  const obstacle = ({ headers }: IncomingMessage) => {
    if (RELAYED in headers) return { status: 508, detail: LOOP }
    return copy.isCurrent ? undefined : { status: 503, detail: NOT_CURRENT, isTemporary: true }
  }
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (isStopping) response.setHeader('connection', 'close')
    if (!gateway.takes(request)) {
      if (path === '/metrics') return void metrics.serve(request, response)
      if (path === '/healthz') return json(response, 200, { status: 'ok' })
      if (path !== '/readyz') return json(response, 404, { detail: 'This is a gateway: paths begin with /agents/.' })
      const problem = isStopping ? 'It is stopping.' : copy.problem
      return json(response, problem ? 503 : 200, {
        status: problem ? 'not ready' : 'ready',
        problems: problem ? [problem] : [],
      })
    }
    metrics.measure(request, response, 'agents')
    serveInSpan(request, response, 'agents', () => {
      const refusal = obstacle(request)
      if (refusal) refuse(request, response, refusal)
      else gateway.serve(request, response)
    })
  })
  // Callers keep connections for long, and closing one just as it is reused would fail the request.
  server.keepAliveTimeout = 75_000
  gateway.serveWebSockets(server, { obstacle })
  const port = await listenOn(server, [options.port ?? 0], host, 'PILOTHOUSE_GATEWAY_PORT')
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count ?? 0)))
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async stop() {
      isStopping = true
      server.close()
      for (const end = Date.now() + options.drainMs; (await open()) > 0 && Date.now() < end; await sleep(LOOK_MS))
        server.closeIdleConnections()
      gateway.closeWebSockets()
      server.closeAllConnections()
      await copy.close()
    },
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}
