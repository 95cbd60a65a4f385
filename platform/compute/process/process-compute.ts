import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { DeploymentCreate, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import { buildRevision } from '../../builder/build'
import type { BuildCache } from '../../builder/build-cache'
import { BuildError } from '../../builder/command'
import type { GitMirrors } from '../../builder/git-mirrors'
import { readGraphConfig } from '../../builder/graph-config'
import type { ToolCopies } from '../../builder/tool-copies'
import type { UploadStore } from '../../builder/uploads'
import type { ImageStore } from '../../images/image-store'
import type { AgentDatabases } from '../../kernel/agent-database'
import { agentTelemetry, baseEnvironment } from '../../kernel/env'
import type { RevisionRow } from '../../kernel/schema'
import type { Store } from '../../kernel/store'
import type { Confinement } from '../../sandbox/confinement'
import type { Sandbox } from '../../sandbox/sandbox'
import type { Compute, Servers, Subject } from '../compute'
import { createLineReader } from '../log-level'
import type { RevisionLogger } from '../revision-logger'
import { type AgentChild, startChild } from './child'
import { type ChildEnvInput, childEnvironment } from './child-env'
import { checkHealth } from './health'
import { applyResources } from './resources'
import { startGroup } from './server-group'

export type ProcessComputeOptions = {
  store: Store
  logger: RevisionLogger
  databases: AgentDatabases
  sandbox: Sandbox
  /** Settings of npm that confined commands get in place of the operator's own. */
  npmSettings: string
  buildsFolder: string
  buildCache: BuildCache
  mirrors: GitMirrors
  tools: ToolCopies
  /** Caches of package managers, one folder per deployment. */
  packagesFolder: string
  images: ImageStore
  uploads: UploadStore
  agentServerEntry: string
  readyTimeoutMs: number
  /** Where an agent server logs its runs, and with which key. */
  tracing?(deploymentId: string): ChildEnvInput['tracing']
  secretsPage?(deploymentId: string): ChildEnvInput['secretsPage']
}
const IMAGE_SOURCE = 'external_docker'
const UPLOAD_SOURCE = 'internal_source'

/** Builds a revision's folder on this machine and starts its agent server as a process. */
export class ProcessCompute implements Compute {
  readonly type = 'process'
  /** What of a deployment must outlive its builds. */
  readonly #running = new Map<string, Set<AgentChild>>()

  constructor(private readonly options: ProcessComputeOptions) {}

  folderOf(deploymentId: string, revisionId?: string): string {
    return path.join(this.options.buildsFolder, deploymentId, revisionId ?? '')
  }

  /** Whether the revision needs a build. An image has no build stage; it is unpacked when it is rolled out. */
  async needsBuild(subject: Subject): Promise<boolean> {
    return subject.revision.source !== IMAGE_SOURCE && !(await this.#hasFolder(subject))
  }

  /** A namespace, and references to its secrets: a process has neither. */
  problems({ source_config: config, secret_references }: DeploymentCreate | DeploymentPatch): Problem[] {
    const problems: Problem[] = []
    const listenerConfig = config?.listener_config as { k8s_namespace?: string | null } | null | undefined
    if (listenerConfig?.k8s_namespace)
      problems.push({
        path: ['source_config', 'listener_config', 'k8s_namespace'],
        message: 'It applies only to listeners of compute type k8s; this one is of compute type process',
        type: 'value_error',
      })
    if (secret_references?.length)
      problems.push({
        path: ['secret_references'],
        message:
          'They name secrets of a k8s namespace; a listener of compute type process has none. Use secrets instead',
        type: 'value_error',
      })
    return problems
  }

  async prune(deploymentId: string, _serving: string, kept: ReadonlySet<string>): Promise<void> {
    const folder = this.folderOf(deploymentId)
    for (const name of await readdir(folder))
      if (!kept.has(name.replace(/\.gitconfig$/, '')))
        await rm(path.join(folder, name), { recursive: true, force: true })
  }

  async remove(deploymentId: string): Promise<void> {
    await rm(this.folderOf(deploymentId), { recursive: true, force: true, maxRetries: 3 })
    await this.#forget({ gone: deploymentId })
  }

  async cleanUp(known: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.folderOf('')))
      if (!known.has(name)) await rm(this.folderOf(name), { recursive: true, force: true })
    await this.#forget({ kept: known })
  }

  async close(): Promise<void> {}

  /** Releases the images, uploads and packages of deleted deployments. */
  async #forget(deployments: Parameters<ImageStore['unpin']>[0]): Promise<void> {
    const { packagesFolder } = this.options
    for (const id of await readdir(packagesFolder).catch(() => []))
      if ('gone' in deployments ? id === deployments.gone : !deployments.kept.has(id))
        await rm(path.join(packagesFolder, id), { recursive: true, force: true })
    await this.options.uploads.forget(deployments)
    await this.options.images.unpin(deployments)
  }

  async #hasFolder({ deployment, revision }: Subject): Promise<boolean> {
    if (!revision.builtAt) return false
    return stat(this.folderOf(deployment.id, revision.id)).then(Boolean, () => false)
  }

  async build(subject: Subject, signal: AbortSignal): Promise<RevisionRow> {
    const { deployment, revision } = subject
    const { store, buildCache, mirrors, tools, sandbox, npmSettings } = this.options
    const confinement = sandbox.confine(deployment)
    const own = await this.#ownFolders(deployment.id, confinement)
    await buildRevision({
      cache: buildCache,
      mirrors,
      tools,
      owner: deployment.id,
      confinement,
      confinedEnv: sandbox.isolation === 'none' ? undefined : { npm_config_userconfig: npmSettings },
      packageCache: own.cache,
      agentServerEntry: this.options.agentServerEntry,
      secrets: this.options.logger.secretsOf(revision),
      folder: this.folderOf(deployment.id, revision.id),
      sourceConfig: revision.sourceConfig,
      sourceRevisionConfig: revision.sourceRevisionConfig,
      upload: await this.#upload(revision),
      env: baseEnvironment(),
      signal,
      log: this.options.logger.logOf(subject, 'build'),
      onCommit: (commit, facts) => store.setCommit(revision.id, commit, facts),
    })
    await confinement.endStrays(this.#groups(deployment.id))
    await store.setBuilt(revision.id)
    return (await store.findRevision(deployment.id, revision.id)) ?? revision
  }

  async start(subject: Subject, signal: AbortSignal): Promise<Servers> {
    const { deployment, revision } = subject
    const folder = this.folderOf(deployment.id, revision.id)
    const log = this.options.logger.logOf(subject, 'deploy')
    const isImage = revision.source === IMAGE_SOURCE
    const configPath = isImage ? await this.#unpack(subject, signal) : revision.sourceRevisionConfig.graph_config_path
    const config = await readGraphConfig(folder, configPath ?? '')
    for (const note of config.notes) log('WARNING', note)
    const resources = isImage ? applyResources(revision.sourceConfig) : undefined
    for (const line of resources?.lines ?? []) log('INFO', line)
    const secrets = Object.fromEntries(this.options.logger.secretsOf(revision).map(({ name, value }) => [name, value]))
    const confinement = this.options.sandbox.confine(deployment)
    await this.#ownFolders(deployment.id, confinement)
    // An earlier version of the platform, or one without a sandbox, has left it to itself.
    await confinement.give(folder)
    const database = await this.options.databases.addressOf(deployment.id)
    const secret = randomBytes(32).toString('base64url')
    const startOne = async (signal: AbortSignal): Promise<AgentChild> => {
      const began = Date.now()
      log('INFO', 'Starting the agent server.')
      const child = await startChild({
        entry: this.options.agentServerEntry,
        cwd: folder,
        confinement,
        ...database,
        telemetry: agentTelemetry(),
        secret,
        env: childEnvironment({
          deployment: { id: deployment.id, name: deployment.name },
          revision: { id: revision.id, commit: revision.sourceRevisionConfig.repo_commit_sha ?? null },
          configFile: config.file,
          given: [config.env, secrets],
          tracing: this.options.tracing?.(deployment.id),
          secretsPage: this.options.secretsPage?.(deployment.id),
        }),
        signal,
        timeoutMs: this.options.readyTimeoutMs,
        memoryLimitMb: resources?.memoryLimitMb,
        onLine: createReporter(log),
      })
      this.#keep(deployment.id, child)
      try {
        await checkHealth(child, config.graphs, signal)
      } catch (error) {
        await child.stop(0)
        throw error
      }
      log(
        'INFO',
        `Every graph loads (${config.graphs.join(', ')}); ready after ${Date.now() - began} ms as process ${child.pid}.`,
      )
      return child
    }
    return await startGroup(resources?.processes ?? 1, { start: startOne, log }, signal)
  }

  /** Rereads the revision, rebuilds its folder if it is missing, and starts it. */
  async resume(deploymentId: string, revisionId: string, signal: AbortSignal): Promise<Servers> {
    const { store } = this.options
    const deployment = await store.findDeployment(deploymentId)
    let revision = await store.findRevision(deploymentId, revisionId)
    if (!deployment || !revision) throw new Error('The revision is gone.')
    if (await this.needsBuild({ deployment, revision })) revision = await this.build({ deployment, revision }, signal)
    return this.start({ deployment, revision }, signal)
  }

  /** Unpacks an image revision's folder if it is missing. Returns the graph configuration file in it. */
  async #unpack(subject: Subject, signal: AbortSignal): Promise<string> {
    const { deployment, revision } = subject
    const { images, store } = this.options
    const log = this.options.logger.logOf(subject, 'deploy')
    const uri = revision.sourceRevisionConfig.image_uri ?? ''
    const image = await images.pinned(deployment.id, revision.id, uri)
    log('INFO', `Image ${uri} is ${image.digest}`)
    if (!(await this.#hasFolder(subject))) {
      const began = Date.now()
      const { files } = await images.unpack(image, this.folderOf(deployment.id, revision.id), signal)
      await store.setBuilt(revision.id)
      log('INFO', `Unpacked ${files} files in ${Date.now() - began} ms.`)
    }
    return image.config
  }

  /** The archive that a revision is built from, if its source was uploaded. */
  async #upload({ deploymentId, source, sourceRevisionConfig }: RevisionRow): Promise<string | undefined> {
    if (source !== UPLOAD_SOURCE) return undefined
    const { uploads } = this.options
    const given = sourceRevisionConfig.source_tarball_path ?? ''
    if (!(await uploads.has(deploymentId, given)))
      throw new BuildError('The uploaded source of this revision is gone. Upload it again.')
    return uploads.fileOf(deploymentId, given)
  }

  /** Folders that outlive revisions. What holds them is the platform's own, so that no link can take their place. */
  async #ownFolders(deploymentId: string, confinement: Confinement) {
    const place = path.join(this.options.packagesFolder, deploymentId)
    const folders = { cache: path.join(place, 'cache'), home: path.join(place, 'home') }
    for (const folder of Object.values(folders)) {
      await mkdir(folder, { recursive: true })
      await confinement.give(folder)
    }
    return folders
  }

  #keep(deploymentId: string, child: AgentChild): void {
    const running = this.#running.get(deploymentId) ?? new Set()
    this.#running.set(deploymentId, running.add(child))
    void child.ended.then(() => {
      running.delete(child)
      if (!running.size) this.#running.delete(deploymentId)
    })
  }

  #groups(deploymentId: string): number[] {
    return [...(this.#running.get(deploymentId) ?? [])].map(({ group }) => group)
  }
}

/** Reads the lines of one process. */
function createReporter(log: ReturnType<RevisionLogger['logOf']>) {
  const readLine = createLineReader()
  return (line: string, isError: boolean) => {
    const { level, message, runId } = readLine(line, isError)
    log(level, message, runId)
  }
}
