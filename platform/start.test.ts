import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createFixture } from './testing/platform-fixture'
import { testFolder } from './testing/test-folder'

test('a request during the start gets a response at once, with a time to retry', async () => {
  const fixture = await createFixture()
  const { url } = fixture.platform
  await fixture.platform.stop()
  const starting = fixture.start()
  const responses = new Set<string>()
  // 15 s: a request without a response, not one that is slow.
  const ask = () =>
    fetch(`${url}/ok`, { signal: AbortSignal.timeout(15_000) }).then(
      ({ status, headers }) => `${status} ${headers.get('retry-after')}`,
      (error: Error) => (error.name === 'TimeoutError' ? 'held' : 'refused'),
    )
  for (let response = ''; !response.startsWith('200') && response !== 'held'; ) {
    response = await ask()
    responses.add(response)
  }
  await starting
  await fixture.close()
  responses.delete('refused')
  expect([...responses]).toEqual(['503 1', '200 null'])
})

test('the start says where deployed code runs', async () => {
  const here = await createFixture({ sandbox: { mode: 'off' } })
  expect(here.lines).toContainEqual(expect.stringContaining('Deployed code is not isolated'))
  await here.close()
  const { path: folder, remove } = testFolder()
  const kubeconfig = path.join(folder, 'kubeconfig')
  const nobody = {
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:9' } }],
    users: [{ name: 'u', user: {} }],
  }
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }]
  writeFileSync(kubeconfig, JSON.stringify({ ...nobody, contexts, 'current-context': 'x' }))
  const addressOf = () => ({ host: '127.0.0.1', port: 9, isSecure: false, prefix: '' })
  const cluster = await createFixture({
    sandbox: { mode: 'off' },
    kubernetes: { kubeconfig, namespaces: ['agents'], image: 'agent:1', addressOf },
  })
  expect(cluster.lines).not.toContainEqual(expect.stringContaining('not isolated'))
  expect(cluster.lines).toContain('Deployed code runs in a cluster: each revision has pods of its own.')
  await cluster.close()
  remove()
})

test('with another key than that of its secrets the platform does not start, and says which file to put back', async () => {
  const fixture = await createFixture()
  expect((await fixture.client.create('one', fixture.repository().url)).status).toBe(201)
  await fixture.platform.stop()
  const file = path.join(fixture.folder, 'data/platform/seal-key')
  writeFileSync(file, randomBytes(32).toString('base64'))
  await expect(fixture.start()).rejects.toThrow(`Put the ${file} of that time back`)
  await fixture.close()
})

test('the program takes a signal while it waits for its database, as the first process of a container has to', async () => {
  const { path: folder, remove } = testFolder()
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const child = spawn(process.execPath, ['.build/platform.mjs'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PILOTHOUSE_DATA: folder,
      DATABASE_URL: `postgres://platform@127.0.0.1:${port}/platform`,
    },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const [socket] = await Promise.race([once(silent, 'connection'), ended])
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  socket.destroy()
  silent.close()
  remove()
})
