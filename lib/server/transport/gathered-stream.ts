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

/**
 * A Node stream as a web stream whose reader gets everything that arrived since its last read as one chunk. With direct
 * reads the rest waits in the kernel, else in memory. `done` runs once, when the stream ends, fails or is cancelled.
 */
export function gatheredStream(body: Readable, done: () => void): ReadableStream<Uint8Array> {
  const { stop, resume, stopAtBytes, isEncrypted } = flowControl(body)
  let chunks: Buffer[] = []
  let size = 0
  let wake = () => {}
  let isOver = false
  let failure: Error | undefined
  const finish = () => {
    if (isOver) return
    isOver = true
    done()
    wake()
  }
  body.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size >= stopAtBytes && size - chunk.length < stopAtBytes) stop()
    if (chunks.push(chunk) > 1) return
    // One read of an encrypted connection is emitted record by record, in the same turn.
    if (isEncrypted) setImmediate(() => wake())
    else wake()
  })
  body.on('end', finish)
  body.on('error', (error) => {
    failure ??= error
    finish()
  })
  body.on('close', finish)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (chunks.length === 0 && !isOver)
          await new Promise<void>((resolve) => {
            wake = resolve
            resume()
          })
        const [first, ...more] = chunks
        chunks = []
        size = 0
        if (first) controller.enqueue(more.length > 0 ? Buffer.concat([first, ...more]) : first)
        else if (failure) controller.error(failure)
        else controller.close()
      },
      cancel() {
        finish()
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
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
