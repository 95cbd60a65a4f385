import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, V1Pod } from '@kubernetes/client-node'
import { readLines } from '../../kernel/lines'
import type { PodLine } from './cluster'

const AGAIN_MS = 500
const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) (.*)$/

/** A node writes times in its own zone. */
const inUtc = (seconds: string, fraction = '.', zone = 'Z') =>
  `${new Date(seconds + zone).toISOString().slice(0, 19)}${fraction.padEnd(10, '0')}Z`

/** Of a container and those that were started in its place: a node sends the log of the newest. */
type Place = { podUid: string; container: string; last: string; read: Promise<void> }
type Followed = { controller: AbortController; place: Place; isRunning: boolean }

/** Follows the containers of pods. Each line is reported once, also when a connection breaks and is made again. */
export class PodLogs {
  readonly #followed = new Map<string, Followed>()

  constructor(
    private readonly log: Pick<Log, 'log'>,
    private readonly since: Date | undefined,
    private readonly onLine: (line: PodLine) => void,
    /** Called when all lines of a container that has ended were reported. */
    private readonly onRead: (of: Pick<PodLine, 'pod' | 'container'>) => void = () => {},
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
      const before = [...this.#followed.values()].findLast(
        ({ place }) => place.podUid === uid && place.container === container,
      )
      if (before) before.isRunning = false
      const last = this.since?.toISOString().replace('Z', '000000Z') ?? ''
      const place = before?.place ?? { podUid: uid, container, last, read: Promise.resolve() }
      const followed = { controller: new AbortController(), place, isRunning }
      this.#followed.set(containerID, followed)
      place.read = place.read.then(() => this.#follow({ namespace, name }, followed))
    }
  }

  /** Call when a pod is gone. Lines that were already sent still arrive. */
  forget(uid: string): void {
    for (const [id, followed] of this.#followed)
      if (followed.place.podUid === uid) {
        followed.isRunning = false
        this.#followed.delete(id)
      }
  }

  close(): void {
    for (const { controller } of this.#followed.values()) controller.abort()
    this.#followed.clear()
  }

  async #follow(of: { namespace: string; name: string }, followed: Followed): Promise<void> {
    const { place, controller } = followed
    const { container } = place
    const { signal } = controller
    for (let isFirst = true; isFirst || followed.isRunning; isFirst = false) {
      if (!isFirst) await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      // Within one answer, times may go back a little: runtimes write standard output and error apart.
      const known = place.last
      const stream = new PassThrough()
      const ended = new Promise<void>((resolve) => stream.once('close', resolve).once('error', () => resolve()))
      readLines(stream, (line) => {
        // Without a time, it is the node that says why it has no log.
        const [, seconds, fraction, zone, text] = LINE.exec(line) ?? []
        if (!seconds || text === undefined) return
        const time = inUtc(seconds, fraction, zone)
        if (time <= known) return
        if (time > place.last) place.last = time
        this.onLine({ pod: of.name, container, time, text })
      })
      try {
        const request = await this.log.log(of.namespace, of.name, container, stream, {
          follow: true,
          timestamps: true,
          ...(known && { sinceTime: known.replace(/\.\d+Z$/, 'Z') }),
        })
        const abort = () => {
          request.abort()
          stream.destroy()
        }
        if (signal.aborted) abort()
        signal.addEventListener('abort', abort, { once: true })
        await ended
        signal.removeEventListener('abort', abort)
      } catch {
        // The container is not ready for it, or gone: its state tells whether to ask again.
        stream.destroy()
      }
    }
    this.onRead({ pod: of.name, container })
  }
}
