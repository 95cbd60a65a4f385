import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, V1Pod } from '@kubernetes/client-node'
import { readLines } from '../../kernel/lines'
import type { PodLine } from './cluster'

const AGAIN_MS = 500

type Followed = { controller: AbortController; podUid: string; isRunning: boolean }

/** Follows the containers of pods. Each line is reported once, also when a connection breaks and is made again. */
export class PodLogs {
  readonly #followed = new Map<string, Followed>()

  constructor(
    private readonly log: Pick<Log, 'log'>,
    private readonly since: Date | undefined,
    private readonly onLine: (line: PodLine) => void,
  ) {}

  /** Call with each state of a pod. */
  see(pod: V1Pod): void {
    const { name = '', uid = '', namespace = '' } = pod.metadata ?? {}
    const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
    for (const { name: container, state, containerID } of statuses) {
      if (!containerID) continue
      const isRunning = Boolean(state?.running)
      const known = this.#followed.get(containerID)
      if (known) known.isRunning = isRunning
      if (known || !(isRunning || state?.terminated)) continue
      const followed = { controller: new AbortController(), podUid: uid, isRunning }
      this.#followed.set(containerID, followed)
      void this.#follow({ namespace, name, container }, followed)
    }
  }

  /** Call when a pod is gone. Lines that were already sent still arrive. */
  forget(uid: string): void {
    for (const [id, followed] of this.#followed)
      if (followed.podUid === uid) {
        followed.isRunning = false
        this.#followed.delete(id)
      }
  }

  close(): void {
    for (const { controller } of this.#followed.values()) controller.abort()
    this.#followed.clear()
  }

  async #follow(of: { namespace: string; name: string; container: string }, followed: Followed): Promise<void> {
    const { signal } = followed.controller
    let last = this.since?.toISOString() ?? ''
    for (let isFirst = true; !signal.aborted && (isFirst || followed.isRunning); isFirst = false) {
      if (!isFirst) await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
      const stream = new PassThrough()
      const ended = new Promise<void>((resolve) => stream.once('close', resolve).once('error', () => resolve()))
      readLines(stream, (line) => {
        // Without a time, it is the node that says why it has no log.
        const [, time, text] = /^(\d{4}-\S+) (.*)$/.exec(line) ?? []
        if (!time || text === undefined || time <= last) return
        last = time
        this.onLine({ pod: of.name, container: of.container, time, text })
      })
      try {
        const request = await this.log.log(of.namespace, of.name, of.container, stream, {
          follow: true,
          timestamps: true,
          ...(last && { sinceTime: last.replace(/\.\d+Z$/, 'Z') }),
        })
        const abort = () => {
          request.abort()
          stream.destroy()
        }
        signal.addEventListener('abort', abort, { once: true })
        await ended
        signal.removeEventListener('abort', abort)
      } catch {
        // The container is not ready for it, or gone: its state tells whether to ask again.
        stream.destroy()
      }
    }
  }
}
