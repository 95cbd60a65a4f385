import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Kills processes of a cluster one after another, always the busiest, and measures how soon their runs go on elsewhere. With
 * `hangSeconds`, every second one is paused instead, until its runs go on.
 */
export function disturb({
  cluster,
  processes,
  query,
  problems,
  hangSeconds,
  mostKills,
  everyMs,
  takeoverMs: mostTakeoverMs,
}) {
  const done = { kills: 0, pauses: 0 }
  let isOver = false
  const takeovers = []
  const afterPauses = []
  /** The process with the most runs; waits for one. */
  const busiest = async () => {
    for (; !isOver; await sleep(50)) {
      const rows = await query(
        `select i.owner from runs r join instances i on i.id = r.owner where r.status = 'running'
         and i.owner = any($1) group by i.owner having count(*) > 2 order by count(*) desc limit 1`,
        [cluster.owners],
      )
      if (rows[0]) return rows[0].owner
    }
  }
  /** Milliseconds until the runs of a process that was stopped execute elsewhere, or have ended. */
  const takeover = async (owner, mostMs = mostTakeoverMs) => {
    const at = Date.now()
    const orphans = await query(
      `select run_id as id, attempt from runs where status = 'running' and owner = (select max(id) from instances where owner = $1)`,
      [owner],
    )
    let isLate = false
    for (;;) {
      const waiting = await query(
        `select (r.metadata ->> 'number')::int as n, run_id as id, status, crashes from runs r
         join unnest($1::text[], $2::int[]) o (id, attempt) on run_id = o.id and r.attempt = o.attempt
         where status in ('pending', 'running')`,
        [orphans.map(({ id }) => id), orphans.map(({ attempt }) => attempt)],
      )
      const ms = Date.now() - at
      if (!isLate && ms > mostMs) {
        const seen = waiting.map(({ n, id, status, crashes }) => `run ${n} (${id}) ${status}, ${crashes} crashes`)
        problems.add(
          'runs of a stopped process wait',
          `expected all of ${owner} elsewhere within ${mostMs} ms; seen after ${ms} ms: ${seen.join('; ')}`,
        )
      }
      isLate ||= ms > mostMs
      if (!waiting.length || ms > 6 * mostMs) return ms
      await sleep(100)
    }
  }
  const pause = (owner) => {
    let goOn = () => {}
    const continued = cluster.pause(owner, new Promise((resolve) => (goOn = () => resolve(undefined))))
    const taken = takeover(owner, mostTakeoverMs + 2000 * hangSeconds).finally(goOn)
    return Promise.all([taken, continued]).then(([ms]) => ms)
  }
  const killing = (async () => {
    while (!isOver && done.kills < mostKills) {
      for (let waited = 0; !isOver && waited < everyMs; waited += 100) await sleep(100)
      // On a slow machine, processes would end faster than they start.
      while (!isOver && cluster.size < Math.ceil(processes / 2) + 1 && processes > 1) await sleep(100)
      const owner = await busiest()
      if (isOver || !owner) return
      const isPause = hangSeconds !== undefined && done.kills > done.pauses
      if (!isPause) await cluster.replace(owner)
      const continued = isPause ? pause(owner) : takeover(owner)
      if (isPause) done.pauses += 1
      else done.kills += 1
      continued.catch(() => {}) // what ended everything is reported, not that this noticed it
      const all = isPause ? afterPauses : takeovers
      all.push(continued)
    }
  })()
  killing.catch(() => {}) // awaited by `stop`
  return {
    /** How many so far. */
    done,
    stop: async () => {
      isOver = true
      await killing
      return { takeoverMs: await Promise.all(takeovers), afterPauseMs: await Promise.all(afterPauses) }
    },
  }
}
