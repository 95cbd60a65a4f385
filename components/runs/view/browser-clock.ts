/** When work may go on and when the page may be told. Given by tests; `browserClock` otherwise. */
export type RunClock = {
  now: () => number
  /** Soon, but after the browser has handled what waits (input, painting). */
  later: (task: () => void) => void
  /**
   * Before one of the next repaints: of a hidden tab that is the one with which it is shown again. In a pause there is
   * nothing else to do: the rest that each repaint is followed by is shorter then.
   */
  nextFrame: (task: () => void, isPause?: boolean) => void
}

/** A repaint that takes longer than this is followed by a rest three times as long: drawing takes a quarter of the time at most, and half of it in pauses. */
const CHEAP_MS = 4
const REST_FOR_EACH = 3
const REST_IN_PAUSE = 1
const LONGEST_REST_MS = 120
/**
 * What a person does is drawn first and alone: so long after a key or a press the run keeps still. Then it is drawn once,
 * and keeps still again until the next key of somebody who types should have come, which must not meet a drawing. What waits
 * longest is drawn all the same; where nothing waited, as on a page at rest, the first key is alone too.
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
    // A timer would be held back to 4 ms after a few turns; a message is not.
    if (!channel) {
      channel = new MessageChannel()
      channel.port2.onmessage = () => waiting.shift()?.()
      for (const name of ['keydown', 'pointerdown']) globalThis.addEventListener?.(name, onPress, true)
    }
    waiting.push(task)
    channel.port1.postMessage(null)
  }
  /** Milliseconds for which nothing is drawn. */
  const restAt = (now: number) => {
    const rest = Math.min(cost * (isPause ? REST_IN_PAUSE : REST_FOR_EACH), LONGEST_REST_MS)
    const afterDrawing = cost > CHEAP_MS ? overAt + rest - now : 0
    const afterPress = pressedAt + (drawnAt > pressedAt ? TYPING_MS : PRESSED_MS) - now
    return Math.max(afterDrawing, Math.min(afterPress, Math.max(drawnAt, askedAt) + LONGEST_WAIT_MS - now))
  }
  const draw = () => {
    const began = performance.now()
    const rest = restAt(began)
    // The browser goes through all of a repaint for each frame that is asked for, though nothing has changed.
    if (rest > FRAME_MS) return void setTimeout(requestAnimationFrame, rest - FRAME_MS / 2, draw)
    if (rest > 0) return void requestAnimationFrame(draw)
    drawnAt = began
    isPause = false
    const tasks = drawing
    drawing = []
    for (const task of tasks) task()
    // The message comes after the repaint.
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
