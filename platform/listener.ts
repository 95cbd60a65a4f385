import { openKubernetesCluster } from './compute/kubernetes/kubernetes-cluster'
import { addressFrom } from './compute/kubernetes/open'
import { Listener, RevokedError } from './compute/listener/listener'
import { TunnelClient } from './compute/listener/tunnel-client'
import { listenerEnv, PLATFORM_VERSION, telemetryVariables } from './kernel/env'
import { logAs } from './kernel/lines'
import { startTelemetry } from './kernel/telemetry'

// Joins a cluster to a control plane elsewhere, with outbound connections only: `npm run listener`.

const SERVICE_URL = 'http://{service}.{namespace}.svc:8000'
const say = logAs('listener')

try {
  const env = listenerEnv()
  const stopTelemetry = await startTelemetry('pilothouse-listener', { variables: telemetryVariables() })
  const agentUrl = env.PILOTHOUSE_LISTENER_AGENT_URL ?? SERVICE_URL
  const addressOf = addressFrom(agentUrl)
  const tunnels = env.PILOTHOUSE_LISTENER_AGENT_URL
    ? undefined
    : new TunnelClient({
        url: env.PILOTHOUSE_LISTENER_URL,
        token: env.PILOTHOUSE_LISTENER_TOKEN,
        addressOf: ({ service, namespace }) => addressOf({ name: service, namespace, labels: {} }),
      })
  const cluster = await openKubernetesCluster({ log: say })
  const listener = new Listener({
    url: env.PILOTHOUSE_LISTENER_URL,
    token: env.PILOTHOUSE_LISTENER_TOKEN,
    cluster,
    about: {
      version: PLATFORM_VERSION,
      agentUrl,
      hasTunnels: tunnels !== undefined,
      database: env.PILOTHOUSE_LISTENER_DATABASE ?? null,
    },
    log: say,
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => listener.stop())
  void tunnels?.run()
  await listener
    .run()
    .finally(() => tunnels?.stop())
    .finally(stopTelemetry)
  process.exit(0)
} catch (error) {
  say(error instanceof RevokedError ? error.message : `The listener cannot run: ${(error as Error).message}`, 'error')
  process.exit(1)
}
