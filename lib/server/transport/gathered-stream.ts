import 'server-only'
import type { Readable } from 'node:stream'

// On globalThis: instrumentation and route handlers each have their own copy of this module.
const shared = globalThis as { pilothouseDirectReads?: boolean }

/** Whether new streams stop their socket's handle, or only pause the stream. */
export function setDirectReads(isOn: boolean): void {
  shared.pilothouseDirectReads = isOn
}

/** Most bytes that a stream without direct reads gathers before it is paused. */
const GATHERED_BYTES = 256 * 1024

/** What follows it comes after the whole read, with one promise. */
const READ = Promise.resolve()

type Take = (bytes: Uint8Array | undefined, failure?: unknown) => void
/**
 * What a stream has brought, without the promises of a web stream's reader, whose cost shows at thousands of reads a second
 * (docs/decisions/0086-reads-by-calls.md).
 */
export type ByteSource = {
  /**
   * Calls `take` once, now or later, with everything that arrived since the last call; without bytes at the end, and with
   * the reason if that is a failure.
   */
  read(take: Take): void
  /** Nothing is taken after this. */
  cancel(reason?: unknown): void
}
type WithSource = ReadableStream<Uint8Array> & { source?: ByteSource }

/** What to read a web stream with; nothing else may read it then. One that `gatheredStream` did not make is read as usual. */
export function sourceOf(body: ReadableStream<Uint8Array>): ByteSource {
  const { source } = body as WithSource
  if (source) return source
  const reader = body.getReader()
  return {
    read: (take) =>
      void reader.read().then(
        ({ value }) => take(value),
        (error: unknown) => take(undefined, error ?? new Error('unknown error')),
      ),
    cancel: (reason) => void reader.cancel(reason).catch(() => {}),
  }
}

/**
 * A Node stream as a web stream whose reader gets everything that arrived since its last read as one chunk. `done` runs once,
 * when the stream ends, fails or is cancelled.
 */
export function gatheredStream(body: Readable, done: () => void): ReadableStream<Uint8Array> {
  const source = gather(body, done)
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise<void>((resolve) =>
          source.read((bytes, failure) => {
            if (bytes) controller.enqueue(bytes)
            else if (failure) controller.error(failure)
            else controller.close()
            resolve()
          }),
        ),
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  )
  return Object.assign(stream, { source })
}

/** With direct reads what nobody has asked for waits in the kernel, else in memory. */
function gather(body: Readable, done: () => void): ByteSource {
  const { stop, resume, stopAtBytes, isEncrypted } = flowControl(body)
  let chunks: Buffer[] = []
  let size = 0
  let waiting: Take | undefined
  let isOver = false
  let failure: Error | undefined
  const give = () => {
    const take = waiting
    if (!take || (chunks.length === 0 && !isOver)) return
    waiting = undefined
    const [first, ...more] = chunks
    chunks = []
    size = 0
    if (first) take(more.length > 0 ? Buffer.concat([first, ...more]) : first)
    else take(undefined, failure)
  }
  const finish = () => {
    if (isOver) return
    isOver = true
    done()
    give()
  }
  body.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size >= stopAtBytes && size - chunk.length < stopAtBytes) stop()
    if (chunks.push(chunk) > 1) return
    // One read is emitted chunk by chunk of the response, and of an encrypted connection record by record, in the same turn.
    if (isEncrypted) setImmediate(give)
    else void READ.then(give)
  })
  body.on('end', finish)
  body.on('error', (error) => {
    failure ??= error
    finish()
  })
  body.on('close', finish)
  return {
    read(take) {
      waiting = take
      give()
      if (waiting === take) resume()
    },
    cancel() {
      waiting = undefined
      finish()
      body.destroy()
    },
  }
}

type Handle = { readStart(): number; readStop(): number }
type FlowControl = { stop: () => void; resume: () => void; stopAtBytes: number; isEncrypted: boolean }

/**
 * With direct reads a response stops at its socket's handle, a Node internal, after each read. Otherwise it is only paused
 * when much has gathered: a paused response lets one chunk through per read, so a reader that waits between reads falls behind.
 */
function flowControl(body: Readable): FlowControl {
  const { socket } = body as { socket?: { encrypted?: boolean; _handle?: Partial<Handle> | null } }
  const isEncrypted = socket?.encrypted === true
  const handle = () => socket?._handle
  if (shared.pilothouseDirectReads === false || !handle()?.readStart || !handle()?.readStop)
    return { stop: () => body.pause(), resume: () => body.resume(), stopAtBytes: GATHERED_BYTES, isEncrypted }
  // The handle is gone once the connection is closed.
  return { stop: () => handle()?.readStop?.(), resume: () => handle()?.readStart?.(), stopAtBytes: 1, isEncrypted }
}
