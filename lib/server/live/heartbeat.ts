import 'server-only'

type Beat = { timer: NodeJS.Timeout; works: Set<() => void> }
const beats = new Map<number, Beat>()

/** Like `setInterval`, but all that has the same interval is called in one turn: forty viewers are not forty wakes of the process. */
export function onHeartbeat(ms: number, work: () => void): () => void {
  let beat = beats.get(ms)
  if (!beat) {
    const works = new Set<() => void>()
    beat = { works, timer: setInterval(() => works.forEach((one) => void one()), ms) }
    beats.set(ms, beat)
  }
  const { works, timer } = beat
  works.add(work)
  return () => {
    if (!works.delete(work) || works.size > 0) return
    clearInterval(timer)
    beats.delete(ms)
  }
}
