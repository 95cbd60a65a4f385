import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkDirectStreams, startDirectStreams, stopDirectStreams } from './direct-streams'
import { setDirectReads } from './gathered-stream'
import { keepNodeResponses } from './node-response'

vi.unmock('../process/log')

let lines: string[] = []
beforeEach(() => {
  lines = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
})
afterEach(() => {
  vi.restoreAllMocks()
  stopDirectStreams()
})

test('the self-check passes on this Node version, and logs nothing', async () => {
  await startDirectStreams('on')
  await checkDirectStreams() // still on
  expect(lines).toEqual([])
})

test('off turns both off', async () => {
  await startDirectStreams('off')
  await expect(checkDirectStreams()).rejects.toThrow('no Node response')
  keepNodeResponses()
  await expect(checkDirectStreams()).rejects.toThrow('keeps reading')
  expect(lines).toEqual([])
})

test('a failed self-check turns both off and logs one line with the reason', async () => {
  await startDirectStreams('on', () => Promise.reject(new Error('Internals changed.')))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    event: 'direct_streams.unavailable',
    error: { message: 'Internals changed.' },
  })
  await expect(checkDirectStreams()).rejects.toThrow('no Node response')
  keepNodeResponses()
  await expect(checkDirectStreams()).rejects.toThrow('keeps reading')
})

test('a self-check that hangs is given up', async () => {
  setDirectReads(true)
  keepNodeResponses()
  await expect(checkDirectStreams(0)).rejects.toThrow('longer than 0 ms')
})
