import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRevisionInProgress } from '@/lib/contracts/state'
import { remoteCommit } from '../builder/git'
import type { LogBook } from '../control-plane/log-book'
import type { Store } from '../control-plane/store'
import { baseEnvironment } from '../env'

export type PushWatchOptions = {
  store: Store
  logs: LogBook
  /** For git's settings; of the platform alone. */
  folder: string
  wake(deploymentId: string): void
  /** Between two looks at a repository on this machine, and at one elsewhere. */
  localMs: number
  remoteMs: number
}

/**
 * Makes a revision when the tracked branch of a deployment with `build_on_push` has a new commit. It asks the
 * repositories, since a hosted one cannot reach this machine. Each commit is tried once: where its build fails, nothing
 * is gained by repeating it.
 */
export function watchPushes({ store, logs, folder, wake, localMs, remoteMs }: PushWatchOptions): {
  stop(): Promise<void>
} {
  const end = new AbortController()
  const tried = new Map<string, string>()
  const due = new Map<string, number>()

  const look = async (deployment: Awaited<ReturnType<Store['watchedDeployments']>>[number]) => {
    const { repo_url: url } = deployment.sourceConfig
    const { repo_ref: ref, repo_commit_sha: built } = deployment.latest
    // A revision that is about to fetch takes the newest commit anyway.
    if (!url || !ref || (!built && isRevisionInProgress(deployment.latestStatus ?? ''))) return
    if ((due.get(deployment.id) ?? 0) > Date.now()) return
    due.set(deployment.id, Date.now() + (path.isAbsolute(url) || url.startsWith('file:') ? localMs : remoteMs))
    const configFile = path.join(folder, 'watch.gitconfig')
    const commit = await remoteCommit({ url, ref, env: baseEnvironment(), signal: end.signal, configFile })
    if (!commit || commit === built || commit === tried.get(deployment.id)) return
    tried.set(deployment.id, commit)
    const revisionId = await store.changeDeployment(deployment.id, ({ latest }) => ({
      sourceRevisionConfig: { ...latest, repo_commit_sha: null },
    }))
    if (!revisionId) return
    const place = { deploymentId: deployment.id, revisionId, type: 'build' } as const
    logs.append(place, { level: 'INFO', message: `${ref} was pushed to: commit ${commit}` })
    wake(deployment.id)
  }

  const run = async () => {
    while (!end.signal.aborted) {
      const watched = await store.watchedDeployments().catch(() => [])
      // One after the other: the settings file is shared, and a look is short. A repository that cannot be asked now
      // is asked again in its turn; who builds from it sees the reason in the build log.
      for (const deployment of watched) if (!end.signal.aborted) await look(deployment).catch(() => {})
      await sleep(localMs, undefined, { signal: end.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    stop: () => {
      end.abort()
      return running
    },
  }
}
