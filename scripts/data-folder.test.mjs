import fs, { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { shownPath, takeLock } from './data-folder.mjs'

let folder
let file
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-lock-'))
  file = path.join(folder, 'lock.json')
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  rmSync(folder, { recursive: true })
})

test('a path is shown in full where it is not below the working folder', () => {
  expect(shownPath(path.resolve('.data/first-sign-in.txt'))).toBe(path.join('.data', 'first-sign-in.txt'))
  expect(shownPath(file)).toBe(file)
})

test('a lock has one holder, also if another process asks while it is being written', () => {
  const write = fs.writeFileSync
  const taken = []
  vi.spyOn(fs, 'writeFileSync').mockImplementationOnce((name, text, options) => {
    write(name, '', options)
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    taken.push(takeLock(file))
    write(name, text)
  })
  syncBuiltinESMExports()
  taken.push(takeLock(file))
  expect(taken).toEqual([undefined, process.pid])
  expect(takeLock(file)).toBe(process.pid)
  expect(readdirSync(folder)).toEqual(['lock.json'])
})

test('of two processes that find the lock of one that has ended, one takes it over', () => {
  writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, birth: '1' }))
  const read = fs.readFileSync
  const taken = []
  vi.spyOn(fs, 'readFileSync').mockImplementation((name, options) => {
    const text = read(name, options)
    if (name !== file) return text
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    taken.push(takeLock(file))
    return text
  })
  syncBuiltinESMExports()
  taken.push(takeLock(file))
  expect(taken).toEqual([undefined, process.pid])
  expect(JSON.parse(read(file, 'utf8')).pid).toBe(process.pid)
  expect(readdirSync(folder)).toEqual(['lock.json'])
})

test('the lock of a process that has ended is taken over, and so is one that was cut off', () => {
  for (const left of ['', '{"pid":', JSON.stringify({ pid: 2 ** 22 + 1, birth: '1' })]) {
    writeFileSync(file, left)
    expect(takeLock(file)).toBeUndefined()
    expect(takeLock(file)).toBe(process.pid)
    rmSync(file)
  }
  expect(existsSync(file)).toBe(false)
})
