import 'server-only'
import type { Readable } from 'node:stream'

/** Turns of the event loop until all that waits is here: from the socket's buffer, from the kernel, and one to spare. */
const TURNS = 3

/**
 * A Node stream as a web stream whose reader gets all that has come since it last asked as one piece: an event stream comes
 * in hundreds of small pieces a second, and each one's promises would cost more than all that is done with it. `done` runs
 * once when the stream ends, fails or is cancelled. Nothing is taken ahead of the one who reads.
 */
export function gatheredStream(body: Readable, done: () => void): ReadableStream<Uint8Array> {
  let wake = () => {}
  let isOver = false
  let failure: Error | undefined
  const finish = () => {
    if (isOver) return
    isOver = true
    done()
    wake()
  }
  /** What came while nobody read waits in the socket and in the kernel; to have read is to ask for it. */
  const withRest = async (first: Buffer): Promise<Buffer> => {
    const pieces = [first]
    for (let turn = 0; turn < TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      const piece: Buffer | null = isOver ? null : body.read()
      if (piece) pieces.push(piece)
    }
    return pieces.length === 1 ? first : Buffer.concat(pieces)
  }
  body.on('readable', () => wake())
  body.on('end', finish)
  body.on('error', (error) => {
    failure ??= error
    finish()
  })
  body.on('close', finish)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let isFresh = false; ; isFresh = true) {
          const piece: Buffer | null = isOver ? null : body.read()
          // What was waited for has nothing waiting behind it.
          if (piece) return controller.enqueue(isFresh ? piece : await withRest(piece))
          if (isOver) return failure ? controller.error(failure) : controller.close()
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      },
      cancel() {
        finish()
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
