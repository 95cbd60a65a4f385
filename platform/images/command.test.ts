import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testFolder } from '../testing/test-folder'
import { runImageCommand } from './command'
import { ImageStore } from './image-store'

const { path: folder, remove } = testFolder()
const data = path.join(folder, 'data')
beforeAll(() => {
  cpSync('platform/samples', path.join(folder, 'graphs'), { recursive: true })
})
afterAll(remove)

const environment = () => ({ ...process.env, PILOTHOUSE_DATA: data, INIT_CWD: folder })
/** In this process, which is faster. */
const command = async (...args: string[]) => {
  const lines: string[] = []
  const code = await runImageCommand({ args, dataDir: data, cwd: folder, say: (line) => lines.push(line) })
  return { code, said: lines.join('\n') }
}

test('the command packs a folder relative to the working directory, lists and removes, and reports errors', async () => {
  const packed = await command('pack', 'graphs', 'samples/one:v1', '--config', 'workbench.json')
  expect(packed).toMatchObject({ code: 0 })
  expect(packed.said).toMatch(/Packed \d+ files \(\d+ kB\) with graphs .*\nsamples\/one:v1 is sha256:[0-9a-f]{64}$/)
  expect((await command('list')).said).toMatch(/^samples\/one:v1 {2}sha256:[0-9a-f]{64} {2}\d+ files/)
  expect(await command('remove', 'samples/one:v2')).toEqual({
    code: 1,
    said: 'Image samples/one:v2 is not in the image store. Similar names: samples/one:v1.',
  })
  expect(await command('remove', 'samples/one:v1')).toEqual({
    code: 0,
    said: 'Removed samples/one:v1. Its content was deleted too.',
  })
  expect(await command('list')).toEqual({ code: 0, said: 'The image store is empty.' })
  expect(await command('pack', 'nowhere', 'x')).toMatchObject({
    code: 1,
    said: expect.stringContaining('does not exist'),
  })
  expect(await command('pak')).toMatchObject({ code: 2, said: expect.stringContaining('Usage: npm run image') })
})

test('run through npm, it does the same in the data folder of the environment', async () => {
  const said = await promisify(execFile)(process.execPath, ['scripts/pack/image.mjs', 'pack', 'graphs', 'x'], {
    env: environment(),
  })
  expect(said.stdout).toMatch(/\nx:latest is sha256:/)
  expect((await command('list')).said).toMatch(/^x:latest /)
  await command('remove', 'x')
})

test('a kill during packing leaves the store intact: the tag is absent or complete, and the next pack cleans up', async () => {
  const place = path.join(folder, 'many')
  mkdirSync(place)
  writeFileSync(path.join(place, 'graph.json'), '{"graphs":{"main":"./main.mjs:graph"}}')
  writeFileSync(path.join(place, 'main.mjs'), 'export const graph = 1')
  for (let n = 0; n < 400; n += 1) writeFileSync(path.join(place, `file-${n}.txt`), `${n}`.repeat(2000))
  const store = new ImageStore(path.join(data, 'images'))
  for (let turn = 0; turn < 5; turn += 1) {
    const child = spawn(process.execPath, ['scripts/pack/image.mjs', 'pack', place, 'many:v1'], {
      env: environment(),
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // Kill it after its first draft; before that it has written nothing.
    while (child.exitCode === null && !drafts().length) await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise((resolve) => setTimeout(resolve, turn * 8))
    child.kill('SIGKILL')
    await ended
    for (const { image: name } of await store.list()) {
      const out = path.join(folder, `out-${turn}`)
      await store.unpack(await store.pinned('d', `r${turn}`, name), out, new AbortController().signal)
      expect(readdirSync(out)).toHaveLength(402)
    }
  }
  const { digest } = await store.pack(place, 'many:v1')
  expect([drafts(), readdirSync(path.join(data, 'images/blobs'))]).toEqual([[], [digest.replace('sha256:', '')]])
})
const drafts = () => {
  try {
    return readdirSync(path.join(data, 'images/drafts'))
  } catch {
    return []
  }
}
