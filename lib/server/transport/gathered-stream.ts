import 'server-only'
import type { Readable } from 'node:stream'

/**
 * A Node stream as a web stream whose reader gets all that has come since it last asked as one piece: an event stream comes
 * in hundreds of small pieces a second, and each one's promises would cost more than all that is done with it. `done` runs
 * once when the stream ends, fails or is cancelled. What nobody asks for stays in the kernel.
 */
export function gatheredStream(body: Readable, done: () => void): ReadableStream<Uint8Array> {
  const { hold, goOn, isSealed } = valve(body)
  let pieces: Buffer[] = []
  let wake = () => {}
  let isOver = false
  let failure: Error | undefined
  const finish = () => {
    if (isOver) return
    isOver = true
    done()
    wake()
  }
  body.on('data', (piece: Buffer) => {
    if (pieces.push(piece) > 1) return
    hold()
    // Heard once all that was read together has been given out; what was encrypted is given out record by record.
    if (isSealed) setImmediate(() => wake())
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
        while (pieces.length === 0 && !isOver)
          await new Promise<void>((resolve) => {
            wake = resolve
            goOn()
          })
        const [first, ...more] = pieces
        pieces = []
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

/**
 * Of a connection's answer the connection holds back, at once and without its streams' knowing: one that is paused takes one
 * more piece in, body and socket each, and the process is woken for both. The handle is Node's inside; what has none is paused.
 */
function valve(body: Readable): { hold: () => void; goOn: () => void; isSealed: boolean } {
  const { socket } = body as { socket?: { encrypted?: boolean; _handle?: Partial<Handle> | null } }
  const isSealed = socket?.encrypted === true
  const handle = () => socket?._handle
  if (!handle()?.readStart || !handle()?.readStop)
    return { hold: () => body.pause(), goOn: () => body.resume(), isSealed }
  // It is gone once the connection is closed.
  return { hold: () => handle()?.readStop?.(), goOn: () => handle()?.readStart?.(), isSealed }
}
