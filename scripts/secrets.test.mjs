import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { root } from './bootstrap.mjs'
import { handOver } from './secrets.mjs'

// Says that it has loaded, and then what its environment has.
const PROGRAM = `
process.send('loaded')
await globalThis.pilothouseSecrets
process.send(process.env.SECRET)
`
let child
afterEach(() => child.kill('SIGKILL'))

function start(env = {}) {
  const args = ['--import', './scripts/inherit-secrets.mjs', '--input-type=module', '-e', PROGRAM]
  child = spawn(process.execPath, args, {
    ...{ cwd: root, env: { ...process.env, NODE_ENV: 'production', PILOTHOUSE_SECRETS_FD: '4', ...env } },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
  })
  return child
}
const message = async () => (await once(child, 'message'))[0]

test('a program loads before its secrets are known', async () => {
  start()
  /** @type {(value: string) => void} */
  let tell = () => {}
  const secret = new Promise((resolve) => {
    tell = resolve
  })
  void handOver(child, { SECRET: secret, OTHER: 'known at once' })
  expect(await message()).toBe('loaded')
  tell('told late')
  expect(await message()).toBe('told late')
})

test('in development it starts with them', async () => {
  start({ NODE_ENV: 'development' })
  const said = message()
  const secret = Promise.resolve('told before')
  await handOver(child, { SECRET: secret })
  expect(await said).toBe('loaded')
  expect(await message()).toBe('told before')
})

test('it ends if its launcher dies before they are known', async () => {
  start()
  expect(await message()).toBe('loaded')
  const [code] = await Promise.all([once(child, 'exit').then(([status]) => status), child.stdio[4].destroy()])
  expect(code).toBe(1)
})
