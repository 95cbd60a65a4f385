import { setMaxListeners } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRevisionInProgress } from '@/lib/contracts/wire/state'
import { remoteCommit } from '../builder/git'
import { fullRef, localPath } from '../builder/git-address'
import { createMask } from '../builder/mask'
import { baseEnvironment } from '../kernel/env'
import { createLimiter } from '../kernel/limiter'
import type { RevisionLogs } from '../kernel/revision-log'
import type { Store } from '../kernel/store'
import type { LogLevel } from '../kernel/wire'
import { type RefWatch, watchRef } from './ref-watch'

export type PushWatchOptions = {
  store: Store
  logs: RevisionLogs
  /** Private folder for git's settings. */
  folder: string
  wake(deploymentId: string): void
  /** Polling intervals for repositories on this machine and for remote ones. */
  localMs: number
  remoteMs: number
}
type Deployment = Awaited<ReturnType<Store['watchedDeployments']>>[number]
/** State of a deployment between checks; a restart may lose it. */
type Tracked = {
  source: string
  isLocal: boolean
  dueAt: number
  isLooking: boolean
  failures: number
  hasRef: boolean
  files: RefWatch | undefined
}
class Changed extends Error {}

const LONGEST_LOCAL_MS = 60_000
const LONGEST_REMOTE_MS = 15 * 60_000
const MAX_CONCURRENT_CHECKS = 4
/** How much less often to poll a repository whose files are watched. */
const WATCHED_TIMES = 5

/**
 * Creates a revision for each new commit on the tracked branch of a deployment with `build_on_push`, compared with the
 * latest revision's, so pushes during a downtime are noticed. Polls repositories, because a hosted one cannot reach
 * this machine; local ones are also checked when a ref file changes.
 */
export function watchPushes(options: PushWatchOptions): { stop(): Promise<void> } {
  const { store, logs, folder, wake, localMs, remoteMs } = options
  const end = new AbortController()
  setMaxListeners(0, end.signal) // every waiting check adds a listener
  const mask = createMask([])
  const tracked = new Map<string, Tracked>()
  const looking = new Set<Promise<void>>()
  const slots = { local: createLimiter(MAX_CONCURRENT_CHECKS), remote: createLimiter(MAX_CONCURRENT_CHECKS) }
  let pause = new AbortController()

  const run = async () => {
    while (!end.signal.aborted) {
      pause = new AbortController()
      const watched = await store.watchedDeployments().catch(() => undefined)
      if (watched) follow(watched)
      await sleep(localMs, undefined, { signal: AbortSignal.any([end.signal, pause.signal]) }).catch(() => {})
    }
  }

  const follow = (watched: readonly Deployment[]) => {
    const ids = new Set(watched.map(({ id }) => id))
    for (const [id, { files }] of tracked)
      if (!ids.has(id)) {
        files?.close()
        tracked.delete(id)
      }
    for (const deployment of watched) {
      const one = track(deployment)
      if (!one || one.isLooking || one.dueAt > Date.now()) continue
      one.isLooking = true
      one.dueAt = Date.now() + delayOf(one)
      const look = slots[one.isLocal ? 'local' : 'remote'](end.signal, () => lookAt(deployment, one))
        .catch((error) => {
          if (error instanceof Changed) one.dueAt = 0
        })
        .finally(() => {
          one.isLooking = false
          looking.delete(look)
          // A push was signalled during this check.
          if (one.dueAt === 0) pause.abort()
        })
      looking.add(look)
    }
  }

  /** The state of a deployment, reset if it now tracks another branch. */
  const track = ({ id, sourceConfig, latest }: Deployment): Tracked | undefined => {
    const [url, ref] = [sourceConfig.repo_url, latest.repo_ref]
    if (!url || !ref) return undefined
    const source = JSON.stringify([url, ref])
    const known = tracked.get(id)
    if (known?.source === source) return known
    known?.files?.close()
    const place = localPath(url)
    const one: Tracked = {
      source,
      isLocal: place !== undefined,
      dueAt: 0,
      isLooking: false,
      failures: 0,
      hasRef: true,
      files: undefined,
    }
    const lookNow = () => {
      one.dueAt = 0
      pause.abort()
    }
    if (place !== undefined && isRef(ref)) one.files = watchRef(place, fullRef(ref), lookNow)
    tracked.set(id, one)
    return one
  }

  /** Backs off after each failure, with jitter. */
  const delayOf = ({ isLocal, failures, files }: Tracked) => {
    const growth = 2 ** Math.min(failures, 10)
    if (!isLocal) return Math.min(remoteMs * growth, LONGEST_REMOTE_MS) * (0.8 + Math.random() * 0.4)
    return Math.min(localMs * (files?.isWatching() ? WATCHED_TIMES : 1) * growth, Math.max(localMs, LONGEST_LOCAL_MS))
  }

  const lookAt = async (deployment: Deployment, one: Tracked): Promise<void> => {
    const { id, latest, latestStatus } = deployment
    const [url = '', ref = '', built] = [
      deployment.sourceConfig.repo_url ?? '',
      latest.repo_ref ?? '',
      latest.repo_commit_sha,
    ]
    // A revision is about to fetch, so its commit will be known shortly.
    if (!built && isRevisionInProgress(latestStatus ?? '')) {
      one.dueAt = Math.min(one.dueAt, Date.now() + localMs)
      return
    }
    // Renew before checking: later changes trigger the watch, earlier ones are seen by the check.
    one.files?.renew()
    let commit: string | undefined
    try {
      const configFile = path.join(folder, `watch-${id}.gitconfig`)
      commit = await remoteCommit({ url, ref, env: baseEnvironment(), signal: end.signal, configFile })
      if (one.failures) say(deployment, 'INFO', 'The repository is reachable again. Pushes are detected.')
      one.failures = 0
    } catch (error) {
      if (end.signal.aborted) return
      if (!one.failures)
        say(
          deployment,
          'WARNING',
          `Pushes cannot be detected now. The platform checks the repository again later. ${(error as Error).message}`,
        )
      one.failures += 1
      one.dueAt = Math.max(one.dueAt, Date.now() + delayOf(one))
      return
    }
    if (!commit && one.hasRef)
      say(deployment, 'WARNING', `${ref} is no longer in the repository. The active revision keeps serving.`)
    one.hasRef = commit !== undefined
    // A revision interrupted while queued never had a commit, so use the newest one before it.
    if (commit && commit !== (built ?? (await store.newestCommit(id, ref))))
      await makeRevision(deployment, url, ref, commit)
  }

  const makeRevision = async ({ id, latest: seen }: Deployment, url: string, ref: string, commit: string) => {
    const revisionId = await store.changeDeployment(id, ({ status, sourceConfig, latest }) => {
      // Another change came first: the next check decides again.
      const isSame = sourceConfig.repo_url === url && latest.repo_ref === ref
      if (status !== 'READY' || !sourceConfig.build_on_push || !isSame) throw new Changed()
      if ((latest.repo_commit_sha ?? null) !== (seen.repo_commit_sha ?? null)) throw new Changed()
      return { sourceRevisionConfig: { ...latest, repo_commit_sha: commit } }
    })
    if (!revisionId) return
    const place = { deploymentId: id, revisionId, type: 'build' } as const
    logs.append(place, { level: 'INFO', message: `${ref} was pushed to: commit ${commit}` })
    wake(id)
  }

  const say = ({ id, latestRevisionId }: Deployment, level: LogLevel, message: string) => {
    if (latestRevisionId)
      logs.append({ deploymentId: id, revisionId: latestRevisionId, type: 'build' }, { level, message: mask(message) })
  }

  const running = run()
  return {
    stop: async () => {
      end.abort(new Error('The platform is stopping.'))
      await running
      await Promise.all(looking)
      for (const { files } of tracked.values()) files?.close()
    },
  }
}

function isRef(ref: string): boolean {
  try {
    return fullRef(ref) !== ''
  } catch {
    return false
  }
}
