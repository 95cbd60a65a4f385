import path from 'node:path'
import { kubernetesSettings } from './compute/kubernetes/open'
import { writePrivately } from './kernel/data-folder'
import { platformEnv, telemetryVariables } from './kernel/env'
import { logAs } from './kernel/lines'
import { startTelemetry } from './kernel/telemetry'
import { type RunningPlatform, startPlatform } from './start'

// The platform as a separate program: `node .build/platform.mjs`, from the repository root.

const STOP_LIMIT_MS = 7_000

const say = logAs('platform')

try {
  const env = platformEnv()
  const stopTelemetry = await startTelemetry('pilothouse-platform', { variables: telemetryVariables() })
  let platform: RunningPlatform | undefined
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    // Agent servers end with this process.
    if (!platform) process.exit(0)
    // Even if something hangs, nothing is left running.
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref()
    const ended = platform.stop().finally(stopTelemetry)
    ended.then(
      () => process.exit(0),
      (error: Error) => {
        say(`The stop failed: ${error.stack}`, 'error')
        process.exit(1)
      },
    )
  }
  // Before the start: the first process of a container ignores signals that it does not handle.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  if (process.channel) process.once('disconnect', stop)

  platform = await startPlatform({
    dataDir: env.PILOTHOUSE_DATA,
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    port: env.PLATFORM_PORT,
    host: env.PLATFORM_HOST,
    publicUrl: env.PILOTHOUSE_PLATFORM_URL?.replace(/\/$/, ''),
    kubernetes: kubernetesSettings(env),
    agentServerEntry: env.PILOTHOUSE_AGENT_SERVER,
    drainMs: env.PILOTHOUSE_DRAIN_SECONDS * 1000,
    sandbox: { mode: env.PILOTHOUSE_SANDBOX, uidBase: env.PILOTHOUSE_UID_BASE, readable: env.PILOTHOUSE_READABLE },
    traceRetention: {
      ...(env.PILOTHOUSE_TRACE_DAYS && { maxAgeDays: env.PILOTHOUSE_TRACE_DAYS }),
      ...(env.PILOTHOUSE_TRACE_MB && { maxBytes: env.PILOTHOUSE_TRACE_MB * 1_000_000 }),
    },
    corsOrigins: env.PILOTHOUSE_CORS_ORIGINS,
    consoleUrl: env.PILOTHOUSE_CONSOLE_URL?.replace(/\/$/, ''),
    publicCards: env.PILOTHOUSE_PUBLIC_AGENT_CARDS === 'true',
    gatewayKey: env.PILOTHOUSE_GATEWAY_KEY,
    gatewayUrl: env.PILOTHOUSE_GATEWAY_URL?.replace(/\/$/, ''),
    metricsToken: env.METRICS_TOKEN,
    withSamples: env.PILOTHOUSE_SAMPLES === 'true',
    log: say,
  })

  const { url, apiKey } = platform
  writePrivately(path.join(env.PILOTHOUSE_DATA, 'platform.json'), JSON.stringify({ url, api_key: apiKey }))
  process.send?.({ ready: { url, apiKey } })
} catch (error) {
  const { code, message } = error as Error & { code?: string }
  // PostgreSQL's own words do not say where the password is set.
  const hint = code === '28P01' ? ': the database does not accept the password of DATABASE_URL' : ''
  say(`The platform cannot start${hint}: ${message}`, 'error')
  process.exit(1)
}
