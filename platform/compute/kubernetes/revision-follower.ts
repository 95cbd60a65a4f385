import { setTimeout as sleep } from 'node:timers/promises'
import type { CommitFacts } from '@/lib/contracts/deployments/revisions'
import type { LogLine } from '../../kernel/revision-log'
import type { LogLevel, LogType } from '../../kernel/wire'
import { StartError } from '../compute'
import { createLineReader } from '../log-level'
import { awayText } from './away'
import type { Cluster, Follower, PodLine } from './cluster'
import { COMMIT_LINE } from './container-settings'
import { AGENT_CONTAINER, BUILD_CONTAINER } from './names'
import { type Observation, type RevisionState, readRevision } from './pod-status'

const LOOK_MS = 100

export type FollowerOptions = {
  append(type: LogType, level: LogLevel, message: string, runId?: string): void
  onCommit(commit: string, facts: CommitFacts | null): void
  follow(follower: Follower): () => void
}

/** Keeps the state of one revision in a cluster, and writes what happens to it into its logs. */
export class RevisionFollower {
  state: RevisionState = { ready: 0, wanted: 1, lines: [] }
  /** Whether the cluster has reported its Deployment. */
  isSeen = false
  isDeleted = false
  /** Set when its roll-out is over: from then on, a failure is a line like others. */
  isServing = false
  problemSince: Date | undefined
  /** Resolves when the Deployment is gone. */
  readonly deleted: Promise<void>
  readonly stop: () => void
  readonly #told = new Set<string>()
  readonly #readers = new Map<string, (text: string) => LogLine | undefined>()
  #isStopped = false

  constructor(private readonly options: FollowerOptions) {
    let end = () => {}
    this.deleted = new Promise((resolve) => {
      end = resolve
    })
    const unfollow = options.follow({
      onChange: (observation) => {
        this.#change(observation)
        if (this.isDeleted) end()
      },
      onLine: (line) => this.#line(line),
    })
    this.stop = () => {
      this.#isStopped = true
      unfollow()
    }
  }

  #change(observation: Observation): void {
    if (this.#isStopped) return
    if (observation.deployment) this.isSeen = true
    else if (this.isSeen) this.isDeleted = true
    if (!observation.deployment) return
    this.state = readRevision(observation)
    const { problem, failure, lines } = this.state
    if (problem || failure) this.problemSince ??= new Date()
    else {
      this.problemSince = undefined
      // What comes back later is told again.
      for (const key of this.#told) if (!lines.some((line) => line.key === key)) this.#told.delete(key)
    }
    for (const { key, level, message } of lines) {
      // A failure ends the roll-out, which logs it.
      if (this.#told.has(key) || (!this.isServing && message === failure)) continue
      this.#told.add(key)
      this.options.append('deploy', level, message)
    }
  }

  #line({ pod, container, text }: PodLine): void {
    const isBuild = container === BUILD_CONTAINER
    const key = `${pod} ${container}`
    const read =
      this.#readers.get(key) ?? (isBuild ? createBuildLineReader(this.options.onCommit) : createAgentReader())
    this.#readers.set(key, read)
    const line = read(text)
    if (!line) return
    const isOther = !isBuild && container !== AGENT_CONTAINER
    const from = [...(this.state.wanted > 1 ? [pod.split('-').at(-1)] : []), ...(isOther ? [container] : [])]
    const prefix = from.length ? `[${from.join(' ')}] ` : ''
    this.options.append(isBuild ? 'build' : 'deploy', line.level, prefix + line.message, line.runId)
  }
}

function createAgentReader() {
  const read = createLineReader()
  return (text: string) => read(text, false)
}

/** Reads what our program says in a build; a line that tells the commit is not for the log. */
export function createBuildLineReader(onCommit: FollowerOptions['onCommit']): (text: string) => LogLine | undefined {
  const read = createAgentReader()
  return (text) => {
    if (!text.startsWith(COMMIT_LINE)) return read(text)
    try {
      const { commit, facts } = JSON.parse(text.slice(COMMIT_LINE.length)) as {
        commit: string
        facts: CommitFacts | null
      }
      if (/^[0-9a-f]{40,64}$/.test(commit)) onCommit(commit, facts)
    } catch {
      // A line of the build that happens to look like ours.
    }
    return undefined
  }
}

type Wait = {
  cluster: Cluster
  readyTimeoutMs: number
  /** The replicas that its autoscaler will want, which is later than the first pod. */
  least: number
}

/** The time that the cluster does not answer does not count: its pods may be ready all the while. Throws a StartError. */
export async function untilReady(
  follower: RevisionFollower,
  { cluster, readyTimeoutMs, least }: Wait,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<void> {
  let left = readyTimeoutMs
  let isAway = cluster.awaySince !== undefined
  for (; left > 0; left -= cluster.awaySince ? 0 : LOOK_MS) {
    signal.throwIfAborted()
    if (cluster.awaySince && !isAway) warn(`${awayText(cluster)} The roll-out waits for it.`)
    isAway = cluster.awaySince !== undefined
    const { state } = follower
    if (state.failure) throw new StartError(state.failure)
    if (follower.isSeen && state.ready >= Math.max(state.wanted, least) && state.wanted > 0) return
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
  const { problem, ready } = follower.state
  const wanted = Math.max(follower.state.wanted, least)
  const seconds = Math.round(readyTimeoutMs / 1000)
  throw new StartError(`${ready} of ${wanted} replicas were ready within ${seconds} s.${problem ? ` ${problem}` : ''}`)
}
