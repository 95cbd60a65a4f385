import { gatewayEnv, telemetryVariables } from '../kernel/env'
import { logAs } from '../kernel/lines'
import { startTelemetry } from '../kernel/telemetry'
import { startGateway } from './process'

// A gateway that runs apart from the platform: `npm run gateway`.

const say = logAs('gateway')

try {
  const env = gatewayEnv()
  const stopTelemetry = await startTelemetry('pilothouse-gateway', { variables: telemetryVariables() })
  const gateway = await startGateway({
    databaseUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    gatewayKey: env.PILOTHOUSE_GATEWAY_KEY,
    platformUrl: env.PILOTHOUSE_PLATFORM_URL,
    host: env.PILOTHOUSE_GATEWAY_HOST,
    port: env.PILOTHOUSE_GATEWAY_PORT,
    metricsToken: env.METRICS_TOKEN,
    drainMs: env.PILOTHOUSE_DRAIN_SECONDS * 1000,
    log: (level, message) => say(message, level),
  })
  say(`The gateway listens on ${gateway.url}.`)
  let isStopping = false
  process.send?.({ ready: { url: gateway.url } })
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // A second one does not wait.
      if (isStopping) process.exit(1)
      isStopping = true
      say('The gateway is stopping.')
      void gateway
        .stop()
        .then(stopTelemetry)
        .then(() => process.exit(0))
    })
} catch (error) {
  say(`The gateway cannot start: ${(error as Error).message}`, 'error')
  process.exit(1)
}
