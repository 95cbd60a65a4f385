import { keepWorker, RemoteDocument } from './remote-document'
import { type Member, type Newest, TextDocument } from './text-document'
import { WorkerSource } from './worker-source'

/** The page parses this much of the beginning itself, so that the first lines need not wait for the worker. Bytes. */
const FIRST_BYTES = 8 * 1024
const FIRST_STEP = 2 * 1024

/** A background page is not painted, so nothing is waited for longer than this. */
const HIDDEN_MS = 100

/** Covers all kinds of values, in about the length that the page parses itself. */
const REHEARSAL = `{"id":"a","values":{"list":[${'{"key":"value","number":-1.5,"nested":{"is":[true,false,null]}},'.repeat(120)}"\\n"]}}`

/**
 * Keeps the worker running and the code on both sides compiled, until the returned function is called. Starting the
 * worker takes longer than parsing a megabyte.
 */
export function keepReady(): () => void {
  const end = keepWorker()
  const read = new LargeJson({ under: 'values' })
  read.add(new TextEncoder().encode(REHEARSAL))
  read.end()
  read.whole
    .then(() => read.source.toggle(1))
    .catch(() => {}) // the error is reported to anyone who reads a state
    .finally(() => read.release())
  return end
}

/**
 * A JSON text that is too large for the page: its bytes go to a worker, which sends back what is shown. `under` names
 * the top-level key whose value is the tree; what is expanded in `from` is expanded here too.
 */
export class LargeJson {
  readonly source: WorkerSource
  /** The outermost object without the tree's value, as JSON, with what came before that value. */
  readonly head: Promise<string>
  /** The same at the end of the text. */
  readonly whole: Promise<string>
  readonly #remote: RemoteDocument
  readonly #onHead: (head: string) => void
  #first: TextDocument | undefined
  /** Lets the worker begin after the first lines are painted, which would take several times as long next to it. */
  readonly #begin: () => void
  #reader: ReadableStreamDefaultReader | undefined

  constructor({ under, from, expected }: { under?: string; from?: LargeJson; expected?: number } = {}) {
    let onHead = (_head: string) => {}
    let onWhole = onHead
    const fails: ((error: Error) => void)[] = []
    this.head = new Promise((resolve, reject) => {
      onHead = resolve
      fails.push(reject)
    })
    this.whole = new Promise((resolve, reject) => {
      onWhole = resolve
      fails.push(reject)
    })
    this.whole.catch(() => {}) // reported to anyone who waits for it
    this.#remote = new RemoteDocument(
      (message) => {
        if ('frame' in message) this.source.take(message.frame)
        if (!('head' in message)) return
        onHead(message.head)
        if (message.isWhole) onWhole(message.head)
      },
      (problem) => {
        for (const fail of fails) fail(new Error(problem))
        this.source.fail(problem)
      },
    )
    this.source = new WorkerSource({
      command: (command) => this.#remote.send({ command }),
      ask: (question) => this.#remote.ask(question),
    })
    this.#onHead = onHead
    this.#begin = this.#remote.hold()
    // Only the worker knows what is expanded in another document.
    if (from) this.#begin()
    else this.#first = new TextDocument({ under, expected })
    this.#remote.send({ open: { under, from: from?.name, expected } })
  }

  get name(): number {
    return this.#remote.name
  }
  /** Transfers the next bytes to the worker; they cannot be used afterwards. */
  add(bytes: Uint8Array<ArrayBuffer>): void {
    const first = this.#first
    this.#first = undefined
    if (first) this.#showFirst(first, bytes)
    // Transferring a part of a larger buffer would transfer all of it.
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
    this.#remote.send({ bytes: own }, [own.buffer])
  }
  #showFirst(first: TextDocument, bytes: Uint8Array): void {
    first.index.add(bytes.subarray(0, FIRST_BYTES))
    while (first.root === undefined && first.advance(FIRST_STEP));
    if (first.root === undefined) {
      this.#begin()
      return
    }
    this.#onHead(first.head)
    this.source.take(first.frame())
    requestAnimationFrame(() => setTimeout(this.#begin))
    setTimeout(this.#begin, HIDDEN_MS)
  }
  end(problem?: string): void {
    if (this.#first) this.#begin()
    this.#remote.send({ end: true, problem })
  }

  /** Reads the rest from the stream until it is released. */
  async feed(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<void> {
    this.#reader = reader
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) this.add(part.value)
      this.end()
    } catch {
      this.end('The connection was lost before everything arrived.')
    }
  }

  release(): void {
    this.#remote.release()
    this.#reader?.cancel().catch(() => {}) // it may have failed already
  }

  members(most: number): Promise<Member[]> {
    return this.#remote.ask({ kind: 'members', most }) as Promise<Member[]> // the response type follows from the request
  }
  newest(key: string, most: number): Promise<Newest> {
    return this.#remote.ask({ kind: 'newest', key, most }) as Promise<Newest>
  }
}
