/** Schedules work and repaints. Tests pass their own; otherwise it is `browserClock`. */
export type RunClock = {
  now: () => number
  /** Soon, but after pending input and painting. */
  later: (task: () => void) => void
  /**
   * Before one of the next repaints; in a hidden tab, when it is shown again. With `isInPause` the rest after a repaint is
   * shorter, because nothing else is happening.
   */
  nextFrame: (task: () => void, isPause?: boolean) => void
}

/** A repaint longer than this is followed by a rest three times as long, so rendering takes at most a quarter of the time. */
const CHEAP_MS = 4
const REST_FOR_EACH = 3
const REST_IN_PAUSE = 1
const LONGEST_REST_MS = 120
/**
 * User input renders first and alone: the run rests this long after a key or click. It then renders once and rests again until
 * the next key is expected, up to a maximum delay.
 */
const PRESSED_MS = 64
const TYPING_MS = 200
const LONGEST_WAIT_MS = 250
const FRAME_MS = 16

function createBrowserClock(): RunClock {
  const waiting: (() => void)[] = []
  let drawing: (() => void)[] = []
  let channel: MessageChannel | undefined
  let isPause = false
  let drawnAt = 0
  let askedAt = 0
  let overAt = 0
  let cost = 0
  let pressedAt = -Infinity
  const onPress = ({ timeStamp }: Event) => {
    pressedAt = timeStamp
  }
  const later = (task: () => void) => {
    // Nested timers are clamped to 4 ms; messages are not.
    if (!channel) {
      channel = new MessageChannel()
      channel.port2.onmessage = () => waiting.shift()?.()
      for (const name of ['keydown', 'pointerdown']) globalThis.addEventListener?.(name, onPress, true)
    }
    waiting.push(task)
    channel.port1.postMessage(null)
  }
  /** Milliseconds to wait before the next repaint. */
  const restAt = (now: number) => {
    const rest = Math.min(cost * (isPause ? REST_IN_PAUSE : REST_FOR_EACH), LONGEST_REST_MS)
    const afterDrawing = cost > CHEAP_MS ? overAt + rest - now : 0
    const afterPress = pressedAt + (drawnAt > pressedAt ? TYPING_MS : PRESSED_MS) - now
    return Math.max(afterDrawing, Math.min(afterPress, Math.max(drawnAt, askedAt) + LONGEST_WAIT_MS - now))
  }
  const draw = () => {
    const began = performance.now()
    const rest = restAt(began)
    // Every requested frame costs a full repaint, even if nothing has changed.
    if (rest > FRAME_MS) return void setTimeout(requestAnimationFrame, rest - FRAME_MS / 2, draw)
    if (rest > 0) return void requestAnimationFrame(draw)
    drawnAt = began
    isPause = false
    const tasks = drawing
    drawing = []
    for (const task of tasks) task()
    // The message arrives after the repaint.
    later(() => {
      overAt = performance.now()
      cost = overAt - began
    })
  }
  const nextFrame = (task: () => void, isInPause = false) => {
    isPause ||= isInPause
    if (drawing.push(task) > 1) return
    askedAt = performance.now()
    requestAnimationFrame(draw)
  }
  return { now: () => performance.now(), later, nextFrame }
}

export const browserClock = createBrowserClock()
