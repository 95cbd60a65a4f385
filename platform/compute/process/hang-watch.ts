import type { ChildProcess } from 'node:child_process'
import { z } from 'zod'

/** How many intervals make up the limit. */
const INTERVALS = 10
/** The reply to `ping`, from the event loop of the process. */
const Pong = z.object({ pong: z.literal(true) })

/**
 * Calls `onHang` once when a process has left a question unanswered for `limitMs`, and returns a function that stops
 * asking. Counts intervals instead of reading a clock: a pause of the whole machine counts as one at most.
 */
export function watchForHang(
  child: Pick<ChildProcess, 'connected' | 'on' | 'send'>,
  limitMs: number,
  onHang: () => void,
): () => void {
  let unanswered = 0
  child.on('message', (message) => {
    if (Pong.safeParse(message).success) unanswered = 0
  })
  const ask = () => {
    // It is being stopped, within a limit of its own.
    if (!child.connected) return
    if (unanswered === INTERVALS) {
      clearInterval(timer)
      return onHang()
    }
    unanswered += 1
    if (unanswered === 1) child.send({ ping: true }, () => {})
  }
  const timer = setInterval(ask, limitMs / INTERVALS).unref()
  return () => clearInterval(timer)
}
