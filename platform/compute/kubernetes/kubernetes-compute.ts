import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { DeploymentCreate, DeploymentPatch, SourceConfig } from '@/lib/contracts/deployments/deployments'
import { BuildError } from '../../builder/command'
import { remoteCommit } from '../../builder/git'
import { baseEnvironment } from '../../kernel/env'
import type { RevisionLogs } from '../../kernel/revision-log'
import type { DeploymentRow, RevisionRow } from '../../kernel/schema'
import type { Store } from '../../kernel/store'
import { type Compute, type Servers, StartError, type Subject } from '../compute'
import { awayText, StableServices, watchAway, whenBack } from './away'
import type { ImageBuilds } from './build-job'
import type { Cluster } from './cluster'
import { problemsOf } from './dry-run'
import { buildImage } from './image-builder'
import { podCounts, podLabels, type RevisionInput, revisionManifests, stableService } from './manifests'
import { LABELS, revisionName } from './names'
import { type Address, readAuthenticates, readOnceReached, untilReached } from './reach'
import { RevisionFollower, untilReady } from './revision-follower'
import { IMAGE_SOURCE, type InputOptions, RevisionInputs } from './revision-inputs'
import { requestProblems } from './spec-problems'

export type KubernetesComputeOptions = InputOptions & {
  cluster: Cluster
  store: Store
  logs: RevisionLogs
  /** Builds images of revisions; absent: their pods clone and build. */
  builds?: ImageBuilds | undefined
  addressOf(service: { name: string; namespace: string; labels: Record<string, string> }): Address
  readyTimeoutMs: number
  /** Private folder for git's settings. */
  folder: string
  /** Whether pods can read repositories of this machine, in tests. */
  readsLocalRepositories?: boolean
  logError(line: string): void
}

const CHECK_MS = 10_000
const REMOVE_LOOK_MS = 500

/** Runs each revision as a Deployment of a cluster, which keeps its pods running by itself. */
export class KubernetesCompute implements Compute {
  readonly type = 'k8s'
  /** The newest servers of each revision: a redeploy of the active one gives new ones of the same objects. */
  readonly #newest = new Map<string, Servers>()
  /** Revisions that are being started or resumed now. */
  readonly #begun = new Set<string>()
  readonly #inputs: RevisionInputs
  readonly #services: StableServices

  constructor(private readonly options: KubernetesComputeOptions) {
    this.#inputs = new RevisionInputs(options)
    this.#services = new StableServices(options.cluster)
  }

  get away() {
    const { awaySince, listener } = this.options.cluster
    if (!awaySince) return undefined
    const who: 'listener' | 'cluster' = listener?.isAway ? 'listener' : 'cluster'
    return { who, since: listener?.isNew ? null : awaySince }
  }

  problems(body: DeploymentCreate | DeploymentPatch): Problem[] {
    return requestProblems(body, this.options)
  }

  async examine(body: DeploymentCreate | DeploymentPatch): Promise<Problem[]> {
    const spec = body.source_config?.resource_spec
    const namespace = this.#inputs.namespaceOf((body.source_config ?? {}) as SourceConfig)
    if (this.options.cluster.awaySince || (!spec && !('source' in body))) return []
    // A change need not name an image, and one in a listener's cluster has no image of ours to stand for it.
    const image = body.source_revision_config?.image_uri || this.options.image || 'image'
    const input = {
      ...this.#inputs.outlineOf(
        { id: '00000000-0000-4000-8000-000000000000', name: 'example' },
        { id: '00000000-0000-4000-8000-000000000001', isBuilt: false, spec, namespace, image },
      ),
      secrets: [],
      settings: {} as RevisionInput['settings'],
    }
    const late = sleep(CHECK_MS, [], { ref: false })
    // A cluster that does not answer now says so in the roll-out.
    const refusals = this.options.cluster.check(revisionManifests(input)).catch(() => [])
    return problemsOf(await Promise.race([refusals, late]), spec ?? {})
  }

  /** Without a registry, the pods build. */
  async needsBuild({ revision }: Subject): Promise<boolean> {
    return this.options.builds !== undefined && revision.source !== IMAGE_SOURCE && !revision.image
  }

  async build(subject: Subject, signal: AbortSignal): Promise<RevisionRow> {
    const { builds, cluster, store, logger, platformId, image, variables, logError } = this.options
    if (!builds) throw new BuildError('Revisions are built in their pods: no registry is configured.')
    const revision = await this.#withCommit(subject, signal)
    const { id, name } = subject.deployment
    const { resource_spec: _, ...config } = revision.sourceConfig
    const built = await buildImage(
      {
        cluster,
        input: {
          platformId,
          namespace: this.#inputs.namespaceOf(revision.sourceConfig),
          deployment: { id, name },
          revisionId: revision.id,
          attempt: randomBytes(3).toString('hex'),
          builds,
          commit: revision.sourceRevisionConfig.repo_commit_sha ?? '',
          gitSecret: this.options.gitSecret,
          settings: { base: image, config, revision: revision.sourceRevisionConfig },
          secrets: logger.secretsOf(revision),
          variables,
        },
        log: logger.logOf(subject, 'build'),
        onCommit: (commit, facts) => void store.setCommit(revision.id, commit, facts).catch(() => {}),
        logError,
      },
      signal,
    )
    await store.setImage(revision.id, built)
    return (await store.findRevision(id, revision.id)) ?? revision
  }

  start(subject: Subject, signal: AbortSignal): Promise<Servers> {
    return this.#begin(subject.revision.id, () => this.#start(subject, signal))
  }

  resume(deploymentId: string, revisionId: string, signal: AbortSignal): Promise<Servers> {
    return this.#begin(revisionId, () => this.#resume(deploymentId, revisionId, signal))
  }

  async #begin(revisionId: string, work: () => Promise<Servers>): Promise<Servers> {
    this.#begun.add(revisionId)
    return work().finally(() => this.#begun.delete(revisionId))
  }

  async #start(subject: Subject, signal: AbortSignal): Promise<Servers> {
    const revision = await this.#withCommit(subject, signal)
    const { deployment } = subject
    const { cluster } = this.options
    const log = this.options.logger.logOf(subject, 'deploy')
    const warn = (message: string) => log('WARNING', message)
    const input = await this.#inputs.of(deployment, revision)
    log('INFO', `Rolling out to namespace ${input.namespace} of cluster ${cluster.name} as ${nameOf(input)}.`)
    if (cluster.awaySince) warn(`${awayText(cluster)} The roll-out waits for it.`)
    const began = Date.now()
    const follower = this.#follow(deployment, revision, input, undefined)
    try {
      const apply = () => cluster.apply(revisionManifests(input), signal)
      await whenBack(cluster, apply, signal, (problem) => warn(`${problem} The roll-out waits for it.`))
      await untilReady(follower, { ...this.options, least: podCounts(input.spec).min }, signal, warn)
      const servers = await this.#servers(input, follower, warn, signal, readOnceReached)
      const { ready } = follower.state
      log('INFO', `Ready after ${Date.now() - began} ms with ${ready} ${ready === 1 ? 'replica' : 'replicas'}.`)
      return servers
    } catch (error) {
      if (this.#newest.has(revision.id)) {
        follower.stop()
        throw error
      }
      const removed = cluster.remove(input.namespace, podLabels(input), { isForced: true }).catch((problem: Error) => {
        this.options.logError(`${nameOf(input)} was not removed: ${problem.message}`)
      })
      // Its last lines still arrive meanwhile. Nobody waits for a cluster that is away, or after an interruption.
      if (!signal.aborted && !cluster.awaySince) await removed
      follower.stop()
      throw error
    }
  }

  async #resume(deploymentId: string, revisionId: string, signal: AbortSignal): Promise<Servers> {
    const { store, cluster, logs, logger } = this.options
    const deployment = await store.findDeployment(deploymentId)
    const revision = await store.findRevision(deploymentId, revisionId)
    if (!deployment || !revision) throw new Error('The revision is gone.')
    const log = logger.logOf({ deployment, revision }, 'deploy')
    const input = await this.#inputs.of(deployment, revision)
    const warn = (message: string) => log('WARNING', message)
    const [newest] = await logs.read({ deploymentId, revisionId, type: 'deploy', order: 'desc', limit: 1 })
    try {
      await cluster.apply(revisionManifests(input), signal)
    } catch (error) {
      if (error instanceof StartError || signal.aborted) throw error
      // Its pods may serve even if the cluster does not answer this program now.
      warn(`Cluster ${cluster.name} does not answer: ${(error as Error).message}`)
    }
    const follower = this.#follow(deployment, revision, input, newest?.time ?? revision.updatedAt)
    const servers = await this.#servers(input, follower, warn, signal).catch((error: unknown) => {
      follower.stop()
      throw error
    })
    void servers.receive(signal).catch((error: Error) => signal.aborted || warn(error.message))
    return servers
  }

  /**
   * Ends what runs of other revisions than those that serve, drain or start: a platform that stopped meanwhile, or whose
   * roll-out overtook the resume of the former revision, has left its pods. They finish their runs, which is not waited for.
   */
  async prune(deploymentId: string, serving: string): Promise<void> {
    const { cluster, namespaces, logError } = this.options
    const labels = this.#inputs.labels({ [LABELS.deployment]: deploymentId })
    for (const revision of await cluster.valuesOf(namespaces, labels, LABELS.revision)) {
      if (revision === serving || this.#newest.has(revision) || this.#begun.has(revision)) continue
      for (const namespace of namespaces)
        void cluster
          .remove(namespace, { ...labels, [LABELS.revision]: revision }, { isForced: false })
          .catch((error: Error) => logError(`What revision ${revision} left was not removed: ${error.message}`))
    }
  }

  async remove(deploymentId: string, { isForced }: { isForced: boolean }): Promise<void> {
    const { cluster, namespaces, logError } = this.options
    const removed = (async () => {
      for (const namespace of namespaces)
        await cluster.remove(namespace, this.#inputs.labels({ [LABELS.deployment]: deploymentId }), { isForced })
    })()
    let isOver = false
    const end = () => {
      isOver = true
    }
    removed.then(end, end)
    while (!isOver) {
      if (cluster.awaySince && (isForced || (await this.#isForcedNow(deploymentId)))) {
        logError(`${awayText(cluster)} What deployment ${deploymentId} has there is removed when it answers.`)
        return
      }
      await Promise.race([removed.catch(() => {}), sleep(REMOVE_LOOK_MS, undefined, { ref: false })])
    }
    await removed
  }

  /** A second, forced delete may come while the first one waits. */
  async #isForcedNow(deploymentId: string): Promise<boolean> {
    return (await this.options.store.findDeployment(deploymentId))?.isForced ?? true
  }

  /** In the background: a cluster that does not answer must not hold up the platform's start. */
  async cleanUp(known: ReadonlySet<string>): Promise<void> {
    const { cluster, namespaces, logError } = this.options
    const clean = async () => {
      for (const id of await cluster.valuesOf(namespaces, this.#inputs.labels(), LABELS.deployment))
        if (!known.has(id)) await this.remove(id, { isForced: false })
    }
    void clean().catch((error: Error) => logError(`Cluster ${cluster.name} was not cleaned up: ${error.message}`))
  }

  close(): Promise<void> {
    return this.options.cluster.close()
  }

  /** All pods of a revision build the same commit, wherever the ref points by then. */
  async #withCommit({ deployment, revision }: Subject, signal: AbortSignal): Promise<RevisionRow> {
    const { store, folder, logger } = this.options
    const { repo_url: url } = revision.sourceConfig
    const { repo_ref: ref, repo_commit_sha } = revision.sourceRevisionConfig
    if (revision.source === IMAGE_SOURCE || repo_commit_sha || !url || !ref) return revision
    const of = { url, ref, env: baseEnvironment(), signal, configFile: `${folder}/${revision.id}.gitconfig` }
    const commit = await remoteCommit(of)
    if (!commit) throw new BuildError(`couldn't find remote ref ${ref} of ${url}`)
    await store.setCommit(revision.id, commit, null)
    logger.logOf({ deployment, revision }, 'build')('INFO', `${ref} of ${url} is commit ${commit}.`)
    return (await store.findRevision(deployment.id, revision.id)) ?? revision
  }

  #follow(
    deployment: Pick<DeploymentRow, 'id'>,
    revision: RevisionRow,
    input: RevisionInput,
    since: Date | undefined,
  ): RevisionFollower {
    const { cluster, logger, store } = this.options
    const subject = { deployment, revision }
    const logs = { build: logger.logOf(subject, 'build'), deploy: logger.logOf(subject, 'deploy') }
    return new RevisionFollower({
      append: (type, level, message, runId) => logs[type](level, message, runId),
      onCommit: (commit, facts) => void store.setCommit(revision.id, commit, facts).catch(() => {}),
      follow: (follower) => cluster.follow(input.namespace, podLabels(input), since, follower),
    })
  }

  async #servers(
    input: RevisionInput,
    follower: RevisionFollower,
    warn: (message: string) => void,
    signal: AbortSignal,
    read: typeof readAuthenticates = readAuthenticates,
  ): Promise<Servers> {
    const { cluster, addressOf } = this.options
    const [{ namespace }, labels] = [input, podLabels(input)]
    follower.isServing = true
    const address = addressOf({ name: revisionName(input.deployment, input.revisionId), namespace, labels })
    const { secret } = input.settings
    let authenticates = await read({ ...address, secret }, signal).catch((error: Error) => {
      signal.throwIfAborted()
      warn(`Its pods are ready, but the gateway cannot reach them at ${address.host}:${address.port}: ${error.message}`)
      return undefined
    })
    const ending = new AbortController()
    ending.signal.addEventListener('abort', watchAway(cluster, warn))
    let isRetired = false
    const servers: Servers = {
      name: `${nameOf(input)} in namespace ${namespace}`,
      ...address,
      secret,
      get authenticates() {
        return authenticates ?? false
      },
      openRequests: 0,
      get isIdle() {
        return isRetired
      },
      get status() {
        const { ready, wanted, failure, problem = failure } = follower.state
        const { awaySince } = cluster
        if (awaySince) return { ready, wanted, problem: awayText(cluster), since: awaySince }
        return { ready, wanted, problem: ready < wanted ? problem : undefined, since: follower.problemSince }
      },
      ended: follower.deleted.then(() => 'it was deleted from the cluster'),
      isRunning: () => !follower.isDeleted,
      receive: (signal) => this.#services.point(input.deployment.id, stableService(input), signal, warn),
      // Its pods finish their runs when they are told to end.
      retire: () => {
        isRetired = true
      },
      stop: async (graceMs) => {
        ending.abort()
        if (this.#newest.get(input.revisionId) === servers) {
          this.#newest.delete(input.revisionId)
          await cluster.remove(namespace, labels, { isForced: graceMs === 0 })
        }
        follower.stop()
      },
      release: async () => {
        ending.abort()
        follower.stop()
      },
    }
    const learn = (isSo: boolean) => {
      authenticates = isSo
      servers.onChange?.()
    }
    if (authenticates === undefined) void untilReached({ ...address, secret }, ending.signal).then(learn, () => {})
    this.#newest.set(input.revisionId, servers)
    return servers
  }
}

const nameOf = (input: RevisionInput) => `Deployment ${revisionName(input.deployment, input.revisionId)}`
