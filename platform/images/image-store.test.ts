import { execFile } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { testFolder } from '../testing/test-folder'
import { ImageStore } from './image-store'
import { parseReference, similarNames } from './reference'

const { path: folder, fresh, remove } = testFolder()
afterAll(remove)
let data: string
let store: ImageStore
const never = new AbortController().signal
beforeEach(() => {
  data = path.join(fresh('data'), 'images')
  store = new ImageStore(data)
})

/** A source tree; a different `text` makes different content. */
function tree(text = 'one', more: Record<string, string> = {}): string {
  const place = fresh('tree')
  const files = {
    'graph.json': '{"graphs":{"main":"./main.mjs:graph"}}',
    'main.mjs': `export const graph = '${text}'`,
    ...more,
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true })
    writeFileSync(path.join(place, name), content)
  }
  return place
}
const stored = (kind: string) => {
  try {
    return readdirSync(path.join(data, kind))
  } catch {
    return []
  }
}
const hexOf = (digest: string) => digest.replace('sha256:', '')

test.each([
  ['agents/chat', { name: 'agents/chat', tag: 'latest' }],
  ['agents/chat:v1.2', { name: 'agents/chat', tag: 'v1.2' }],
  ['registry.example.com:5000/a/b:c', { name: 'registry.example.com:5000/a/b', tag: 'c' }],
  [`chat@sha256:${'a'.repeat(64)}`, { name: 'chat', tag: 'latest', digest: `sha256:${'a'.repeat(64)}` }],
  ['', undefined],
  ['Chat', undefined],
  ['../x', undefined],
  ['a/../b', undefined],
  ['a:b:c', undefined],
  ['a@sha256:12', undefined],
  ['a b', undefined],
  ['a\n', { name: 'a', tag: 'latest' }],
  [`${'a'.repeat(201)}`, undefined],
])('the image reference %j', (text, reference) => expect(parseReference(text)).toEqual(reference))

test('suggestions are tags of the same image, then the most similar names, never dissimilar ones', () => {
  const known = ['agents/chat:v1', 'agents/chat:latest', 'other/chat:v2', 'agents/chart:v1', 'billing:v1']
  expect(similarNames('agents/chat:v2', known)).toEqual([
    'agents/chat:latest',
    'agents/chat:v1',
    'other/chat:v2',
    'agents/chart:v1',
  ])
  expect(similarNames('something-else-entirely', known)).toEqual([])
})

describe('packing', () => {
  test('the same tree has the same digest, whatever its times, owners and order; any difference changes it', async () => {
    const [a, b] = [tree('x', { 'z/b.txt': '1', 'a.txt': '2' }), tree('x', { 'a.txt': '2', 'z/b.txt': '1' })]
    utimesSync(path.join(a, 'a.txt'), 1, 1)
    chmodSync(path.join(a, 'a.txt'), 0o600)
    const digest = async (place: string) => (await store.pack(place, 'x')).digest
    const same = await digest(a)
    expect(await digest(b)).toBe(same)
    chmodSync(path.join(b, 'a.txt'), 0o755)
    const executable = await digest(b)
    symlinkSync('a.txt', path.join(a, 'link'))
    const linked = await digest(a)
    mkdirSync(path.join(a, 'empty'))
    expect(new Set([same, executable, linked, await digest(a)]).size).toBe(4)
  })

  test('.git and a linked node_modules are left out and named; a real node_modules is packed', async () => {
    const place = tree('x', { '.git/HEAD': 'x', 'inner/.git/HEAD': 'x', 'node_modules/dep/index.js': '1' })
    mkdirSync(path.join(place, 'app'))
    symlinkSync('/usr', path.join(place, 'app/node_modules'))
    const { notes, files } = await store.pack(place, 'x')
    expect([notes.sort(), files]).toEqual([
      ['.git is left out.', 'app/node_modules is a link and is left out.', 'inner/.git is left out.'],
      3,
    ])
  })

  test.each([
    [
      'an absolute link',
      (place: string) => symlinkSync('/etc/passwd', path.join(place, 'out')),
      /out is a link that leaves/,
    ],
    [
      'a link by dots',
      (place: string) => symlinkSync('../../outside', path.join(place, 'out')),
      /out is a link that leaves/,
    ],
    [
      'a link through a link',
      (place: string) => {
        mkdirSync(path.join(place, 'deep/er'), { recursive: true })
        symlinkSync('deep/er', path.join(place, 'near'))
        symlinkSync('near/../../..', path.join(place, 'out'))
      },
      /out is a link that leaves/,
    ],
    ['no configuration', (place: string) => rmSync(path.join(place, 'graph.json')), /"graph.json" does not exist/],
    ['a missing graph', (place: string) => rmSync(path.join(place, 'main.mjs')), /Graph "main": the file/],
  ])('%s is refused and leaves nothing behind', async (_what, spoil, reason) => {
    const place = tree()
    spoil(place)
    await expect(store.pack(place, 'x')).rejects.toThrow(reason)
    expect([stored('blobs'), stored('drafts'), await store.list()]).toEqual([[], [], []])
  })

  test('a configuration elsewhere in the tree, or with the other usual name, is found again', async () => {
    const deep = tree('x', { 'app/flow.json': '{"graphs":{"main":"../main.mjs:graph"}}' })
    await store.pack(deep, 'deep', 'app/flow.json')
    expect((await store.pinned('d', 'r', 'deep')).config).toBe('app/flow.json')
    const branded = tree('x', { 'langgraph.json': '{"graphs":{"main":"./main.mjs:graph"}}' })
    rmSync(path.join(branded, 'graph.json'))
    await store.pack(branded, 'branded')
    expect((await store.pinned('d', 'r2', 'branded')).config).toBe('langgraph.json')
  })
})

test('unpacking restores what was packed: contents of any size, modes, links, empty folders', async () => {
  const place = tree('x', { 'big.bin': 'é'.repeat(700_000), 'none.txt': '', 'ünï/cødé.txt': 'x' })
  mkdirSync(path.join(place, 'empty/folder'), { recursive: true })
  writeFileSync(path.join(place, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  symlinkSync('../main.mjs', path.join(place, 'empty/link'))
  await store.pack(place, 'x')
  const out = fresh('out')
  await store.unpack(await store.pinned('d', 'r', 'x'), out, never)
  await new Promise<void>((resolve, reject) =>
    execFile('diff', ['-r', '--no-dereference', place, out], (error, stdout) =>
      error ? reject(new Error(stdout)) : resolve(),
    ),
  )
  expect((await store.pack(out, 'again')).digest).toBe(
    (await store.list()).find(({ image }) => image === 'x:latest')?.digest,
  )
})

test('damaged content is refused as a whole, and interrupted unpacking leaves no folder', async () => {
  const { digest } = await store.pack(tree('x', { 'data.txt': 'precious' }), 'x')
  const image = await store.pinned('d', 'r', 'x')
  const out = fresh('out')
  const ended = AbortSignal.abort(new Error('interrupted'))
  await expect(store.unpack(image, out, ended)).rejects.toThrow('interrupted')
  const blob = path.join(data, 'blobs', hexOf(digest))
  for (const spoil of ['PRECIOUS', 'precious, and more', '']) {
    const whole = readFileSync(blob, 'utf8')
    writeFileSync(blob, whole.replace('precious', spoil))
    await expect(store.unpack(image, out, never)).rejects.toThrow('is damaged')
    writeFileSync(blob, whole)
  }
  expect(readdirSync(folder).filter((name) => name.startsWith(path.basename(out)))).toEqual([])
})

describe('a revision’s image', () => {
  test('stays the same when the tag moves, even in a new process, until its deployment is deleted', async () => {
    const first = await store.pack(tree('one'), 'chat:v1')
    expect((await store.pinned('d', 'r1', 'chat:v1')).digest).toBe(first.digest)
    const second = await store.pack(tree('two'), 'chat:v1')
    expect((await new ImageStore(data).pinned('d', 'r1', 'chat:v1')).digest).toBe(first.digest)
    expect((await store.pinned('d', 'r2', 'chat:v1')).digest).toBe(second.digest)
    expect(await store.remove('chat:v1')).toBe(0)
    expect(stored('blobs').sort()).toEqual([hexOf(first.digest), hexOf(second.digest)].sort())
    await store.unpin({ kept: new Set(['d']) })
    expect(stored('blobs')).toHaveLength(2)
    await store.unpin({ gone: 'd' })
    expect([stored('blobs'), stored('pins')]).toEqual([[], []])
  })

  test('can be named by digest while a tag or a revision has it', async () => {
    const { digest } = await store.pack(tree('one'), 'chat')
    expect((await store.pinned('d', 'r1', `chat@${digest}`)).digest).toBe(digest)
    await store.remove('chat')
    expect((await store.pinned('d', 'r2', `chat@${digest}`)).digest).toBe(digest)
    await store.unpin({ gone: 'd' })
    await expect(store.pinned('d', 'r3', `chat@${digest}`)).rejects.toThrow('is not in the image store')
  })

  test('if missing, is refused with similar names, other names or instructions to pack one', async () => {
    await expect(store.pinned('d', 'r', 'chat')).rejects.toThrow(/It is empty. Pack one: npm run image -- pack/)
    await store.pack(tree(), 'agents/chat:v1')
    await expect(store.pinned('d', 'r', 'agents/chat:v2')).rejects.toThrow('Similar names: agents/chat:v1.')
    await expect(store.pinned('d', 'r', 'unrelated-thing')).rejects.toThrow('It has 1 others: agents/chat:v1.')
    await expect(store.pinned('d', 'r', 'NO image')).rejects.toThrow('is not an image')
    expect(stored('pins')).toEqual([])
  })
})

test('a killed collection is repaired: referenced contents are restored, drafts of dead processes removed', async () => {
  const { digest } = await store.pack(tree('kept'), 'kept')
  const image = await store.pinned('d', 'r', 'kept')
  const { rename } = await import('node:fs/promises')
  await rename(path.join(data, 'blobs', hexOf(digest)), path.join(data, 'aside', hexOf(digest)))
  writeFileSync(path.join(data, 'aside', 'f'.repeat(64)), 'nobody names it')
  writeFileSync(path.join(data, 'drafts', '999999999-x'), 'half')
  writeFileSync(path.join(data, 'drafts', `${process.pid}-x`), 'ours, under way')
  await store.unpack(image, fresh('out'), never)
  expect([stored('blobs'), stored('aside'), stored('drafts')]).toEqual([[hexOf(digest)], [], [`${process.pid}-x`]])
})

test('content that was set aside and stored again is kept once', async () => {
  const { digest } = await store.pack(tree('kept'), 'kept')
  const { link } = await import('node:fs/promises')
  await link(path.join(data, 'blobs', hexOf(digest)), path.join(data, 'aside', hexOf(digest)))
  expect(await store.collect()).toBe(0)
  expect([stored('blobs'), stored('aside')]).toEqual([[hexOf(digest)], []])
})

test('concurrent packing, removing, pinning and collecting never lose referenced content', async () => {
  // Two of them have the same content.
  const places = [tree('a'), tree('b'), tree('c'), tree('a')]
  const other = new ImageStore(data)
  const work = places.map(async (place, index) => {
    for (let turn = 0; turn < 12; turn += 1) {
      const packed = await (turn % 2 ? store : other).pack(place, `image-${index}`)
      const image = await other.pinned(`d${index}`, `r${turn}`, `image-${index}`)
      expect(image.digest).toBe(packed.digest)
      await store.remove(`image-${index}`)
      const out = path.join(folder, `race-${index}-${turn}`)
      await store.unpack(image, out, never)
      expect(readFileSync(path.join(out, 'main.mjs'), 'utf8')).toContain('abca'[index])
      await store.unpin({ gone: `d${index}` })
    }
  })
  await Promise.all(work)
  expect([await store.list(), stored('blobs'), stored('aside'), stored('drafts')]).toEqual([[], [], [], []])
})
