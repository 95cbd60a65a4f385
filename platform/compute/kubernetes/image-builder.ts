import { setTimeout as sleep } from 'node:timers/promises'
import type { V1Pod } from '@kubernetes/client-node'
import type { CommitFacts } from '@/lib/contracts/deployments/revisions'
import { BuildError } from '../../builder/command'
import type { AppendLine } from '../revision-logger'
import { whenBack } from './away'
import { type BuildInput, buildLabels, buildManifests, imageOf, jobName, podsOf, repositoryOf } from './build-job'
import { createProgressReader } from './build-output'
import { explainFailure, readBuild } from './build-status'
import type { Cluster } from './cluster'
import { IMAGE_CONTAINER } from './names'
import type { Observation } from './pod-status'
import { createBuildLineReader } from './revision-follower'

export type ImageBuild = {
  cluster: Cluster
  input: BuildInput
  log: AppendLine
  onCommit(commit: string, facts: CommitFacts | null): void
  logError(line: string): void
}

const LOOK_MS = 100
/** The cluster ends a build that takes too long; this is for one that does not. */
const LATE_MS = 30_000
/** A cluster counts the time of a Job from a whole second. */
const ROUNDED_MS = 1000
/** How long the lines of ended containers are waited for, which may arrive after the state that they explain. */
const LINES_MS = 10_000
/** Lines of BuildKit among which the reason of a failure is looked for. */
const MOST_SAID = 500

/** Builds and pushes the image of a revision, and removes the Job. Resolves with the image by digest. */
export async function buildImage({ cluster, input, log, onCommit, logError }: ImageBuild, signal: AbortSignal) {
  const { builds, namespace } = input
  const image = imageOf(input)
  const minutes = Math.round(builds.timeoutMs / 60_000)
  const tooLate = `The build did not end within ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  log('INFO', `Building image ${image} in namespace ${namespace} of cluster ${cluster.name}, as Job ${jobName(input)}.`)
  const began = Date.now()
  const told = new Set<string>()
  const progress = createProgressReader()
  const readSource = createBuildLineReader(onCommit)
  let digest: string | undefined
  let failure: string | undefined
  let isSeen = false
  /** Containers that have ended and whose lines have not all arrived. */
  const unread = new Set<string>()
  const read = new Set<string>()
  const names = { image, base: input.settings.base, secret: builds.secret }
  const said: string[] = []

  const change = (observation: Observation) => {
    if (!observation.pods.length && isSeen && !digest)
      failure ??=
        Date.now() - began >= builds.timeoutMs - ROUNDED_MS
          ? tooLate
          : 'The pod of the build was removed from the cluster.'
    isSeen ||= observation.pods.length > 0
    for (const ended of endedContainers(observation.pods)) if (!read.has(ended)) unread.add(ended)
    const state = readBuild(observation, names)
    digest ??= state.digest
    failure ??= state.failure
    for (const { key, level, message } of state.lines)
      if (!told.has(key)) {
        told.add(key)
        log(level, message)
      }
  }
  const unfollow = cluster.follow(namespace, podsOf(input), undefined, {
    onChange: change,
    onLine: ({ container, text }) => {
      if (container === IMAGE_CONTAINER) said.push(text)
      if (said.length > MOST_SAID) said.shift()
      const line = container === IMAGE_CONTAINER ? progress(text) : readSource(text)
      if (line) log(line.level, line.message)
    },
    onRead: ({ pod, container }) => {
      read.add(`${pod} ${container}`)
      unread.delete(`${pod} ${container}`)
    },
  })
  try {
    const apply = () => cluster.apply(buildManifests(input), signal)
    await whenBack(cluster, apply, signal, (problem) => log('WARNING', `${problem} The roll-out waits for it.`))
    for (let left = builds.timeoutMs + LATE_MS; !digest && !failure; left -= cluster.awaySince ? 0 : LOOK_MS) {
      signal.throwIfAborted()
      if (left <= 0) failure = tooLate
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
    for (const end = Date.now() + LINES_MS; unread.size && Date.now() < end; ) await sleep(LOOK_MS)
    // The cluster keeps only the end of what a container said, which may not have the reason.
    if (!digest && said.at(-1)?.startsWith('error: ')) failure = explainFailure(said.join('\n'), names)
    if (!digest) throw new BuildError(failure ?? tooLate)
    const built = `${repositoryOf(input)}@${digest}`
    log('INFO', `Pushed ${built} after ${((Date.now() - began) / 1000).toFixed(1)} s.`)
    return built
  } finally {
    unfollow()
    const removed = cluster.remove(namespace, buildLabels(input), { isForced: true }).catch((error: Error) => {
      // The cluster removes it later.
      logError(`Job ${jobName(input)} was not removed: ${error.message}`)
    })
    if (!signal.aborted && !cluster.awaySince) await removed
  }
}

const endedContainers = (pods: readonly V1Pod[]): string[] =>
  pods.flatMap(({ metadata, status }) =>
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
      .filter(({ state, containerID }) => state?.terminated && containerID)
      .map(({ name }) => `${metadata?.name} ${name}`),
  )
