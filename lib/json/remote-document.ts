import type { FromWorker, Question, ToWorker } from './worker-program'

/** The part of Worker that is used; tests replace it with the program itself. */
export type WorkerLike = {
  postMessage(message: ToWorker, transfer: Transferable[]): void
  terminate(): void
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

/** The page's only worker for large JSON. It runs while a document is held in it or `keepWorker` is in effect. */
export const jsonWorker = {
  start: (): WorkerLike => new Worker(new URL('./json.worker.ts', import.meta.url), { type: 'module' }),
}
let running: WorkerLike | undefined
let names = 0
let keepers = 0
const holders = new Map<number, RemoteDocument>()

function start(): void {
  if (running) return
  running = jsonWorker.start()
  running.onmessage = ({ data }) => holders.get(data.of)?.receive(data)
  running.onerror = ({ message }) => {
    for (const one of holders.values()) one.fail(message || 'The viewer for large states could not be started.')
  }
}

function endIdle(): void {
  if (holders.size > 0 || keepers > 0) return
  running?.terminate()
  running = undefined
}

/** Keeps the worker running until the returned function is called. */
export function keepWorker(): () => void {
  keepers++
  start()
  return () => {
    keepers--
    endIdle()
  }
}

type Part = ToWorker extends infer One ? (One extends { to: number } ? Omit<One, 'to'> : never) : never
type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void }

/** A document in the worker. The caller that creates it must release it. */
export class RemoteDocument {
  readonly name = ++names
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0
  #held: (() => void)[] | undefined

  constructor(
    readonly take: (message: FromWorker) => void,
    readonly fail: (problem: string) => void,
  ) {
    holders.set(this.name, this)
    start()
  }

  send(part: Part, transfer: Transferable[] = []): void {
    const post = () => running?.postMessage({ to: this.name, ...part }, transfer)
    if (this.#held) this.#held.push(post)
    else post()
  }

  /** Queues messages until the returned function is called. */
  hold(): () => void {
    this.#held = []
    return () => {
      const held = this.#held
      this.#held = undefined
      for (const post of held ?? []) post()
    }
  }

  ask(question: Question): Promise<unknown> {
    const ask = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(ask, { resolve, reject })
      this.send({ ask, question })
    })
  }

  release(): void {
    if (!holders.delete(this.name)) return
    for (const { reject } of this.#waiting.values()) reject(new Error('It no longer exists.'))
    if (this.#held) this.#held = []
    else this.send({ close: true })
    endIdle()
  }

  receive(message: FromWorker): void {
    if (!('response' in message)) {
      this.take(message)
      return
    }
    const waiting = this.#waiting.get(message.response)
    this.#waiting.delete(message.response)
    if ('problem' in message) waiting?.reject(new Error(message.problem))
    else waiting?.resolve(message.value)
  }
}
