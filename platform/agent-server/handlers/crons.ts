import type { CronClock } from '../crons/cron-clock'
import { type CronRow, type Crons, cronOut } from '../crons/crons'
import type { Handlers } from '../http/handler-types'
import type { Reply } from '../http/http'
import { pageHeaders, select } from '../kernel/listing'
import type { Threads } from '../threads/threads'

type CronHandlers = Pick<
  Handlers,
  'createCron' | 'createThreadCron' | 'searchCrons' | 'countCrons' | 'getCron' | 'updateCron' | 'deleteCron'
>

export function cronHandlers(crons: Crons, clock: Pick<CronClock, 'wake'>, threads: Threads): CronHandlers {
  const changed = (row: CronRow): Reply => {
    clock.wake()
    return { body: cronOut(row) }
  }

  return {
    createCron: async ({ body, caller }) => changed(await crons.create(undefined, body, caller?.user)),

    async createThreadCron({ params, body, caller }) {
      const { thread_id } = await threads.get(params.thread_id)
      return changed(await crons.create(thread_id, body, caller?.user))
    },

    async searchCrons({ body, only }) {
      const { rows, total } = await crons.search(body, only)
      return {
        body: rows.map((row) => select(cronOut(row), body.select)),
        headers: pageHeaders(body, rows.length, total),
      }
    },

    countCrons: async ({ body, only }) => ({ body: await crons.count(body, only) }),
    getCron: async ({ params }) => ({ body: cronOut(await crons.get(params.cron_id)) }),
    updateCron: async ({ params, body }) => changed(await crons.update(params.cron_id, body)),

    async deleteCron({ params }) {
      await crons.remove(params.cron_id)
      return {}
    },
  }
}
