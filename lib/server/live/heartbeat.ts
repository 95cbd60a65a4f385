import 'server-only'

type Heartbeat = { timer: NodeJS.Timeout; callbacks: Set<() => void> }
const heartbeats = new Map<number, Heartbeat>()

/** Like `setInterval`, but callbacks of one interval share a timer, so forty connections wake the process once. Returns a function that stops it. */
export function onHeartbeat(ms: number, callback: () => void): () => void {
  let heartbeat = heartbeats.get(ms)
  if (!heartbeat) {
    const callbacks = new Set<() => void>()
    heartbeat = { callbacks, timer: setInterval(() => callbacks.forEach((one) => void one()), ms) }
    heartbeats.set(ms, heartbeat)
  }
  const { callbacks, timer } = heartbeat
  callbacks.add(callback)
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return
    clearInterval(timer)
    heartbeats.delete(ms)
  }
}
