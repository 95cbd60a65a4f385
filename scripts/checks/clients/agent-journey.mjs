// Work on an agent server while its process is killed: runs on threads, queued runs, stateless runs, crons, and
// webhooks for all of them. Remembers what was acknowledged.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Receives webhooks: sometimes slowly, and rejects one in ten at first. */
export async function startReceiver(random) {
  const seen = new Map()
  const refused = new Set()
  const server = createServer(async (request, response) => {
    const parts = await request.toArray().catch(() => [])
    if (!request.complete) return response.destroy() // its server was killed while it sent
    const { run_id, status } = JSON.parse(Buffer.concat(parts).toString())
    await sleep(random() < 0.2 ? random() * 300 : 0)
    if (random() < 0.1 && !refused.has(run_id)) {
      refused.add(run_id)
      return response.writeHead(500).end()
    }
    seen.set(run_id, [...(seen.get(run_id) ?? []), status])
    response.end('thanks')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    /** By run: the statuses of the accepted webhooks. */
    seen,
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** @param {{ folder: string, random: () => number, webhook: string }} options */
export function createJourney({ folder, random, webhook }) {
  /** The acknowledged runs by id: `{ run_id, thread_id, file, until, isKept }`. */
  const runs = new Map()
  /** Ids of the created crons. */
  const crons = new Set()
  const counts = { runs: 0, queued: 0, stateless: 0, crons: 0, unanswered: 0 }
  let number = 0
  let threads = []

  const bodyOf = () => {
    number += 1
    const file = path.join(folder, `run-${number}`)
    const until = 3 + Math.floor(random() * 12)
    const input = { until, delay: Math.floor(random() * 80), file }
    const body = {
      assistant_id: 'counter',
      input,
      webhook,
      config: { recursion_limit: 100 },
      stream_resumable: random() < 0.3,
    }
    return { file, until, body }
  }
  const make = async (call, resource, { file, until, body }, more = {}, isKept = true) => {
    const { run_id, thread_id } = await call('POST', resource, { ...body, ...more })
    runs.set(run_id, { run_id, thread_id, file, until, isKept })
  }
  const steps = {
    async runs(call) {
      const { thread_id } = await call('POST', '/threads', {})
      threads = [...threads.slice(-20), thread_id]
      await make(call, `/threads/${thread_id}/runs`, bodyOf())
    },
    async queued(call) {
      const thread = threads[Math.floor(random() * threads.length)]
      // The state continues from the previous run, so this one starts counting again.
      const asked = bodyOf()
      asked.body.input.count = 0
      if (thread) await make(call, `/threads/${thread}/runs`, asked, { multitask_strategy: 'enqueue' })
    },
    async stateless(call) {
      const isKept = random() < 0.5
      await make(call, '/runs', bodyOf(), { on_completion: isKept ? 'keep' : 'delete' }, isKept)
    },
  }

  return {
    runs,
    crons,
    counts,
    async makeCrons(call, count) {
      for (let made = 0; made < count; made += 1) {
        const body = {
          assistant_id: 'counter',
          schedule: '* * * * *',
          input: { until: 2 },
          on_run_completed: 'keep',
          webhook,
        }
        crons.add((await call('POST', '/runs/crons', body)).cron_id)
        counts.crons += 1
      }
    },
    /** Steps until `isOver`; one without a response may have happened or not. */
    async walk(call, isOver) {
      while (!isOver()) {
        const kind = ['runs', 'queued', 'stateless'][Math.floor(random() * 3)]
        try {
          await steps[kind](call)
          counts[kind] += 1
        } catch (error) {
          if (!error.isUnanswered) throw error
          counts.unanswered += 1
          return
        }
        await sleep(random() * 250)
      }
    },
  }
}

/** The steps that a run has written to its file, in order. */
export function stepsIn(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
