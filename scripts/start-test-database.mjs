import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from './bootstrap.mjs'

/** A database server in a temporary folder, which ends with `stop` or with this process. */
export function startTestDatabase() {
  // In its own group, so that a kill of ours lets it clean up.
  const keeper = spawn(process.execPath, ['scripts/test-database.mjs'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(keeper, 'exit')
  const said = once(keeper, 'message').then(([{ url }]) => url)
  const failed = ended.then(([code]) => Promise.reject(new Error(`The test database ended with ${code}.`)))
  failed.catch(() => {})
  return {
    pid: keeper.pid,
    url: Promise.race([said, failed]),
    stop: async () => {
      if (keeper.connected) keeper.disconnect()
      await ended
    },
  }
}
