import { readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommitFacts } from '@/lib/contracts/deployments/revisions'
import { buildRevision } from './builder/build'
import { BuildError } from './builder/command'
import { GitMirrors } from './builder/git-mirrors'
import { readGraphConfig } from './builder/graph-config'
import { prepareImageContext } from './builder/image/image-context'
import { createMask } from './builder/mask'
import { packageEnvironment } from './builder/package-manager'
import { ToolCopies } from './builder/tool-copies'
import { StartError } from './compute/compute'
import {
  COMMIT_LINE,
  ContainerSettings,
  ImageBuildSettings,
  SERVE_ON_SECONDS,
} from './compute/kubernetes/container-settings'
import { FATAL_EXIT } from './compute/kubernetes/pod-status'
import { type AgentChild, startChild } from './compute/process/child'
import { childEnvironment } from './compute/process/child-env'
import { checkHealth } from './compute/process/health'
import { baseEnvironment, containerEnv } from './kernel/env'
import type { LogLevel } from './kernel/wire'
import { UNCONFINED } from './sandbox/confinement'

// The program of an agent's container: `build` makes the source's folder, `serve` runs the agent server in it, and
// `prepare` writes what the build of an image needs.

const READY_MS = 5 * 60_000
const STOP_MS = 8000
const WORK_FOLDER = 'pilothouse-work'
/** The home folder may be read-only. */
const PACKAGE_CACHE = path.join(os.tmpdir(), 'pilothouse-packages')

const say = (level: LogLevel, message: string) => console.log(JSON.stringify({ level, message }))
const env = containerEnv()
const AGENT_SERVER = env.PILOTHOUSE_AGENT_SERVER ?? path.join(import.meta.dirname, 'agent-server.mjs')
const given = JSON.parse(await readFile(env.PILOTHOUSE_AGENT_SETTINGS, 'utf8'))
const secretsOf = ({ secretNames }: { secretNames: readonly string[] }) =>
  secretNames.flatMap((name) => {
    const value = env.variables[name]
    return value === undefined ? [] : [{ name, value }]
  })
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort(new Error('Stopped.')))

/** What both ways to build a source have in common. */
function buildOptions(secrets: ReturnType<typeof secretsOf>, work: string) {
  const mask = createMask(secrets.map(({ value }) => value))
  return {
    env: { ...baseEnvironment(), ...packageEnvironment(PACKAGE_CACHE) },
    secrets,
    mirrors: new GitMirrors(path.join(work, 'git')),
    signal: stopping.signal,
    log: (level: LogLevel, message: string) => say(level, mask(message)),
    onCommit: async (commit: string, facts: CommitFacts | null) =>
      console.log(COMMIT_LINE + JSON.stringify({ commit, facts })),
  }
}

async function build(settings: ContainerSettings): Promise<void> {
  const { source } = settings
  if (!source) return
  const work = path.join(path.dirname(source.folder), WORK_FOLDER)
  await buildRevision({
    ...buildOptions(secretsOf(settings), work),
    folder: source.folder,
    sourceConfig: source.config,
    sourceRevisionConfig: source.revision,
    tools: new ToolCopies(path.join(work, 'tools')),
    agentServerEntry: AGENT_SERVER,
  })
  await rm(PACKAGE_CACHE, { recursive: true, force: true })
}

async function prepare(settings: ImageBuildSettings): Promise<void> {
  const { folder, secretsFolder, base, config, revision } = settings
  await prepareImageContext({
    ...buildOptions(secretsOf(settings), path.join(path.dirname(folder), WORK_FOLDER)),
    folder,
    secretsFolder,
    base,
    sourceConfig: config,
    sourceRevisionConfig: revision,
  })
}

async function start(settings: ContainerSettings): Promise<AgentChild> {
  const { source, deployment, revision, tracing, databaseUrl, poolerUrl, telemetry = {}, secret } = settings
  const folder = source?.folder ?? process.cwd()
  const configPath = source?.revision.graph_config_path ?? settings.configPath ?? 'graph.json'
  const config = await readGraphConfig(folder, configPath)
  for (const note of config.notes) say('WARNING', note)
  const child = await startChild({
    entry: AGENT_SERVER,
    cwd: folder,
    confinement: UNCONFINED,
    databaseUrl,
    poolerUrl,
    telemetry,
    secret,
    env: {
      ...childEnvironment({
        deployment,
        revision,
        configFile: config.file,
        given: [config.env, Object.fromEntries(secretsOf(settings).map(({ name, value }) => [name, value]))],
        tracing,
      }),
      PILOTHOUSE_AGENT_HOST: env.PILOTHOUSE_AGENT_HOST,
      PILOTHOUSE_AGENT_PORT: String(env.PILOTHOUSE_AGENT_PORT),
    },
    signal: stopping.signal,
    timeoutMs: READY_MS,
    onLine: (line, isError) => (isError ? process.stderr : process.stdout).write(`${line}\n`),
  })
  try {
    await checkHealth(child, config.graphs, stopping.signal)
  } catch (error) {
    await child.stop(0)
    throw error
  }
  say('INFO', `Every graph loads (${config.graphs.join(', ')}).`)
  return child
}

async function serve(settings: ContainerSettings): Promise<number> {
  let child: AgentChild | undefined
  const isReady = () => child?.isRunning() === true && !stopping.signal.aborted
  const health = http.createServer((request, response) => {
    const isGood = request.url !== '/ready' || isReady()
    response.writeHead(isGood ? 200 : 503, { 'content-type': 'text/plain' })
    response.end(isGood ? 'ok\n' : 'not ready\n')
  })
  health.listen(env.PILOTHOUSE_AGENT_HEALTH_PORT, env.PILOTHOUSE_AGENT_HOST)
  child = await start(settings)
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  const how = await Promise.race([child.ended, stopped])
  if (how === undefined) {
    // Until everything that routes requests has noticed that this container is not ready any more.
    await Promise.race([child.ended, sleep(SERVE_ON_SECONDS * 1000)])
    child.retire()
    const end = Date.now() + settings.drainSeconds * 1000
    while (child.isRunning() && !child.isIdle && Date.now() < end) await sleep(50)
    await child.stop(STOP_MS)
    return 0
  }
  say('ERROR', `The agent server exited: ${how}.`)
  return Number(/^exit code (\d+)$/.exec(how)?.[1] ?? 1)
}

try {
  const [, , task] = process.argv
  if (task === 'prepare') await prepare(ImageBuildSettings.parse(given))
  else if (task === 'build') await build(ContainerSettings.parse(given))
  process.exit(task === 'prepare' || task === 'build' ? 0 : await serve(ContainerSettings.parse(given)))
} catch (error) {
  if (stopping.signal.aborted) process.exit(0)
  const isOurs = error instanceof BuildError || error instanceof StartError
  say('ERROR', isOurs ? error.message : String((error as Error).stack))
  process.exit(isOurs ? FATAL_EXIT : 1)
}
