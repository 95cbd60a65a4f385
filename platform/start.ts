import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { BuildCache } from './builder/build-cache'
import { authoritiesFolder } from './builder/git-authorities'
import { GitMirrors } from './builder/git-mirrors'
import { ToolCopies } from './builder/tool-copies'
import { UploadStore } from './builder/uploads'
import type { Computes } from './compute/compute'
import { type ComputeParts, type KubernetesSettings, openKubernetesCompute } from './compute/kubernetes/open'
import { Listeners } from './compute/listener/listeners'
import { ProcessCompute } from './compute/process/process-compute'
import { RevisionLogger } from './compute/revision-logger'
import { createApp } from './control-plane/app'
import { deployToolRoutes, uploadHandlers } from './control-plane/deploy-tool'
import { deploymentHandlers } from './control-plane/deployments'
import { acceptTunnel, listenerRoutes } from './control-plane/listener-routes'
import { logHandlers } from './control-plane/logs'
import { machineHandlers } from './control-plane/machine'
import type { Platform } from './control-plane/platform'
import { retentionHandlers, startRunRetention } from './control-plane/retention'
import { revisionHandlers } from './control-plane/revisions'
import { createFirstDeployments } from './first-deployments'
import { callerOrigin, withCallerOrigin } from './gateway/caller-origin'
import { CustomUrls } from './gateway/custom-urls'
import { hashOf } from './gateway/entries'
import { createGateway } from './gateway/gateway'
import { neverDeployed } from './gateway/never-deployed'
import { Publisher } from './gateway/publisher'
import { ImageStore } from './images/image-store'
import { openAgentDatabases } from './kernel/agent-database'
import type { AllowedOrigins } from './kernel/cors'
import { openDataFolder } from './kernel/data-folder'
import { openDatabase } from './kernel/database'
import { PLATFORM_VERSION, UID_BASE } from './kernel/env'
import { createLimiter } from './kernel/limiter'
import { listenOn } from './kernel/listen'
import { Metrics } from './kernel/metrics'
import { endOrphanedProcesses } from './kernel/reaper'
import { RevisionLogs } from './kernel/revision-log'
import { createKeyCheck, createSealer, type Sealer } from './kernel/seal'
import { Store } from './kernel/store'
import { serveInSpan } from './kernel/telemetry'
import { watchPushes } from './rollout/push-watch'
import { Rollouts } from './rollout/rollouts'
import { npmSettingsWithoutKeys } from './sandbox/npm-settings'
import { openSandbox, type SandboxOptions } from './sandbox/sandbox'
import { isTracesPath } from './traces/app'
import { openTraces } from './traces/open'
import type { Retention } from './traces/upkeep/retention'

export type PlatformOptions = {
  dataDir: string
  databaseUrl: string
  /** The same past a pooler: for locks, and for agent servers, whose connections have settings. */
  databaseDirectUrl?: string | undefined
  /** Absent or 0: the port of the last start if it is free, otherwise any. */
  port?: number | undefined
  /** The agent server's program. */
  agentServerEntry?: string | undefined
  log?(line: string): void
  /** Whether the first start creates the sample deployments, which need `platform/samples` in the working folder. */
  withSamples?: boolean
  /** Replaces the stored limits of traces. */
  traceRetention?: Partial<Retention>
  /** How long a replaced agent server may take to finish its runs and open requests. */
  drainMs?: number
  /** Origins whose pages may call agent servers; all if absent. */
  corsOrigins?: AllowedOrigins
  /** Whether agent cards are answered without a key. */
  publicCards?: boolean
  /** Address of the console, for links that command-line tools print. */
  consoleUrl?: string | undefined
  readyTimeoutMs?: number
  /** How long to wait for a previous platform that still holds the database. */
  timeoutMs?: number
  /** Shared with gateways that run apart; without it, none can. */
  gatewayKey?: string | undefined
  /** Where those gateways are reached, if callers should use them in place of this platform's own. */
  gatewayUrl?: string | undefined
  /** Bearer token for `/metrics`, which is off without it. */
  metricsToken?: string | undefined
  sandbox?: Partial<Pick<SandboxOptions, 'mode' | 'uidBase' | 'readable'>>
  /** Runs deployments in a cluster instead of processes. */
  kubernetes?: KubernetesSettings | undefined
  /** The address to listen on; loopback if absent. */
  host?: string | undefined
  /** Address at which pods and listeners reach this platform. */
  publicUrl?: string | undefined
  /** Polling interval for local repositories with `build_on_push`. */
  pushLookMs?: number
}
export type RunningPlatform = {
  url: string
  apiKey: string
  /** Ends every process; unfinished work continues at the next start. */
  stop(): Promise<void>
}

const BUILD_SLOTS = 2
const START_SLOTS = 3
/** From SIGTERM to SIGKILL for an agent server, in a roll-out and at shutdown. */
const GRACE_MS = 10_000
const STOP_GRACE_MS = 4_000
const DRAIN_MS = 60_000

const refuseWhileStarting: RequestListener = (_, response) =>
  response.writeHead(503, { connection: 'close', 'retry-after': '1' }).end()

/** Throws if secrets were sealed with another key, as after a data folder was lost whose database was not. */
async function checkSealKey(store: Store, sealer: Sealer, file: string): Promise<void> {
  const [newest] = await store.listDeployments({ limit: 1, offset: 0 })
  try {
    if (newest) sealer.open(newest.secrets, newest.id)
  } catch {
    throw new Error(
      `the secrets of deployments in this database were sealed with another key. Put the ${file} of that time back, or use an empty database.`,
    )
  }
}

/** Starts the embedded platform: store, control plane, gateway, roll-outs. Resolves when it serves. */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const { dataDir, databaseUrl, log = () => {} } = options
  const folder = openDataFolder(dataDir)
  const directUrl = options.databaseDirectUrl ?? databaseUrl
  const database = await openDatabase(databaseUrl, log, { timeoutMs: options.timeoutMs, directUrl })
  const server = createServer()
  // Callers keep connections for long, and closing one just as it is reused would fail the request.
  server.keepAliveTimeout = 75_000
  try {
    // The address is needed before the handlers are ready; without a listener, a request would wait forever.
    server.on('request', refuseWhileStarting)
    const explicit = options.port ? [options.port] : [folder.port(), 0]
    const port = await listenOn(server, explicit, options.host)
    folder.rememberPort(port)
    const url = `http://127.0.0.1:${port}`

    const store = new Store(database.db)
    const tenantId = await store.setting('tenant_id', randomUUID)
    const isKey = createKeyCheck(folder.apiKey)
    const metrics = new Metrics(options.metricsToken, database.db)
    const traces = await openTraces({
      ...{
        db: database.db,
        upkeep: database.upkeep,
        rebuildIndex: database.rebuildIndex,
        store,
        tenantId,
        isKey,
        sealKey: folder.sealKey,
        logError: log,
      },
      ignoredFields: metrics.ignoredFields,
      retention: options.traceRetention,
    })
    const logs = new RevisionLogs(database.db, log)
    const sealer = createSealer(folder.sealKey)
    await checkSealKey(store, sealer, path.join(folder.own, 'seal-key'))
    endOrphanedProcesses(path.join(folder.own, 'processes'))
    const databases = await openAgentDatabases(database, { url: databaseUrl, directUrl }, folder.sealKey, log)
    const buildCache = new BuildCache(path.join(folder.cache, 'builds'))
    await buildCache.clearDrafts()
    const tools = new ToolCopies(path.join(folder.cache, 'tools'))
    await tools.prune()
    const agentServerEntry = options.agentServerEntry ?? path.resolve('.build/agent-server.mjs')
    const npmSettings = npmSettingsWithoutKeys(path.join(folder.cache, 'npmrc'))
    const sandbox = await openSandbox({
      mode: 'auto',
      uidBase: UID_BASE,
      readable: [],
      ...options.sandbox,
      dataDir: path.resolve(dataDir),
      entry: agentServerEntry,
      databaseUrls: [databaseUrl, directUrl],
      shared: [path.join(folder.cache, 'tools'), npmSettings, authoritiesFolder()],
    })
    if (options.kubernetes) log('Deployed code runs in a cluster: each revision has pods of its own.')
    else if (sandbox.warning) log(sandbox.warning)
    const mirrors = new GitMirrors(path.join(folder.cache, 'git'))
    const uploads = new UploadStore(folder.uploads, folder.sealKey)
    const logger = new RevisionLogger({ logs, sealer })
    const processes = new ProcessCompute({
      store,
      logger,
      databases,
      sandbox,
      npmSettings,
      buildsFolder: folder.builds,
      buildCache,
      mirrors,
      tools,
      packagesFolder: path.join(folder.cache, 'packages'),
      images: new ImageStore(folder.images),
      uploads,
      agentServerEntry,
      readyTimeoutMs: options.readyTimeoutMs ?? 60_000,
      tracing: (deploymentId) => ({ endpoint: url, apiKey: traces.keyOf(deploymentId) }),
      secretsPage: (id) => options.consoleUrl && `${options.consoleUrl}/local/deployments/${id}/settings/secrets`,
    })
    const parts: ComputeParts = {
      store,
      logs,
      logger,
      databases,
      platformId: tenantId,
      sealKey: folder.sealKey,
      folder: folder.own,
      publicUrl: options.publicUrl,
      tracingKey: (deploymentId) => traces.keyOf(deploymentId),
      drainMs: options.drainMs ?? DRAIN_MS,
      readyTimeoutMs: options.readyTimeoutMs,
      log,
    }
    const local = options.kubernetes ? await openKubernetesCompute(options.kubernetes, parts) : processes
    const listeners = await Listeners.open(database.db, parts)
    const computes: Computes = {
      of: ({ sourceConfig: { listener_id: id } }) => (id && listeners.computeOf(id)) || local,
      all: () => [local, ...listeners.computes()],
    }
    const { corsOrigins = '*', publicCards = false, gatewayKey } = options
    const target = (id: string) => rollouts.target(id)
    const gateways =
      gatewayKey &&
      (await Publisher.open({
        ...{ db: database.db, store, gatewayKey, target, log },
        policy: { keyHash: hashOf(folder.apiKey), corsOrigins, publicCards },
      }))
    const rollouts = new Rollouts({
      store,
      logs,
      logger,
      computes,
      databases,
      buildSlots: createLimiter(BUILD_SLOTS),
      startSlots: createLimiter(START_SLOTS),
      imageVersion: PLATFORM_VERSION,
      gateways: gateways || undefined,
      drainMs: options.drainMs ?? DRAIN_MS,
      graceMs: GRACE_MS,
      logError: log,
    })
    const customUrls = new CustomUrls(() => store.customUrls())
    await customUrls.refresh()
    const platform: Platform = {
      store,
      logs,
      sealer,
      rollouts,
      computes,
      listeners,
      ownListener: {
        name: options.kubernetes ? 'this-cluster' : 'this-machine',
        type: local.type,
        namespaces: options.kubernetes?.namespaces ?? null,
      },
      tenantId,
      isolation: sandbox.isolation,
      repositoriesFolder: folder.repositories,
      mirrors,
      uploads,
      joinUrl: options.publicUrl ?? null,
      publicUrl: () => callerOrigin() ?? url,
      gatewayUrl: options.gatewayUrl,
      ownUrls: [url, options.publicUrl, options.gatewayUrl].filter((one) => one !== undefined),
      customUrls,
    }
    const handlers = {
      ...deploymentHandlers(platform),
      ...revisionHandlers(platform),
      ...uploadHandlers(platform),
      ...logHandlers(platform),
      ...machineHandlers(platform, new Date(), PLATFORM_VERSION),
      ...retentionHandlers({ db: database.upkeep, store, traces: traces.retention }),
    }
    const app = createApp({
      handlers,
      deployTool: deployToolRoutes(platform),
      listener: listenerRoutes(platform),
      isKey,
      tenantId,
      consoleUrl: options.consoleUrl,
      logError: log,
    })
    const control = getRequestListener(app.fetch)
    const whyDown = async (id: string) => (await neverDeployed(store, id)).get(id)
    const gateway = createGateway({ target, whyDown, isKey, customUrls, corsOrigins, publicCards })
    let stopping: Promise<void> | undefined
    server.off('request', refuseWhileStarting)
    server.on('request', (request, response) => {
      const { url: path = '' } = request
      const isForAgent = gateway.takes(request)
      if (!isForAgent && /^\/metrics(?=\?|$)/.test(path)) return void metrics.serve(request, response)
      const area = isForAgent ? 'agents' : isTracesPath(path) ? 'traces' : 'control-plane'
      metrics.measure(request, response, area)
      serveInSpan(request, response, area, () => {
        // Agent servers send their last traces while they are being stopped.
        if (area === 'traces') traces.serve(request, response)
        else if (stopping) response.writeHead(503, { connection: 'close', 'retry-after': '1' }).end()
        else if (area === 'agents') gateway.serve(request, response)
        else withCallerOrigin(request.headers, () => control(request, response))
      })
    })
    gateway.serveWebSockets(server, { others: acceptTunnel(listeners) })

    await rollouts.start()
    if (gateways) await gateways.start()
    const runRetention = startRunRetention({ db: database.upkeep, store, logError: log })
    const pushes = watchPushes({
      store,
      logs,
      folder: folder.own,
      wake: (id) => rollouts.wake(id),
      localMs: options.pushLookMs ?? 2000,
      remoteMs: 30_000,
    })
    if (options.withSamples !== false)
      await createFirstDeployments({ store, url, apiKey: folder.apiKey, repositoriesFolder: folder.repositories, log })
    const stop = async () => {
      if (gateways) await gateways.close()
      const ended = [pushes.stop(), runRetention.stop(), rollouts.stop(STOP_GRACE_MS)]
      // What waits for a cluster that is away ends with it.
      await Promise.all([...ended, ...computes.all().map((compute) => compute.close())])
      server.close()
      gateway.closeWebSockets()
      listeners.closeTunnels()
      await traces.stop()
      server.closeAllConnections()
      await logs.flush()
      await database.close()
    }
    return {
      url,
      apiKey: folder.apiKey,
      stop: () => {
        stopping ??= stop()
        return stopping
      },
    }
  } catch (error) {
    server.close()
    server.closeAllConnections()
    await database.close()
    throw error
  }
}
