import { redirect } from 'next/navigation'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { AppError } from '@/lib/errors'
import { parseInput, toResult } from './result'

vi.unmock('./log')

let logged: string[]
beforeEach(() => {
  logged = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    logged.push(String(text))
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

test('a success is its data', async () => {
  expect(await toResult(async () => 7)).toEqual({ ok: true, data: 7 })
})

test('an expected failure keeps its message and its own request id, and is not logged', async () => {
  const result = await toResult(async () => {
    throw new AppError('conflict', 'Taken.', { requestId: 'own', fields: [{ path: ['name'], message: 'Taken.' }] })
  }, 'given')
  expect(result).toEqual({
    ok: false,
    error: { code: 'conflict', message: 'Taken.', fields: [{ path: ['name'], message: 'Taken.' }], requestId: 'own' },
  })
  expect(logged).toEqual([])
})

test('an unknown failure is a generic line with an id that the log explains', async () => {
  const result = await toResult(async () => {
    throw new TypeError('canary is not a function')
  })
  if (result.ok) throw new Error('must fail')
  expect(result.error.code).toBe('internal')
  expect(JSON.stringify(result)).not.toContain('canary')
  expect(logged.join()).toContain('canary')
  expect(logged.join()).toContain(result.error.requestId)
})

test('an unreachable store is reported as such, however the error is wrapped', async () => {
  const lost = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const result = await toResult(() => Promise.reject(new Error('Failed query', { cause: lost })))
  expect(result).toMatchObject({
    error: { code: 'internal', message: expect.stringContaining('database is unreachable') },
  })
})

test('invalid input is reported by field', async () => {
  const result = await toResult(async () => parseInput(z.object({ a: z.object({ b: z.string('Say b.') }) }), { a: {} }))
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'invalid', fields: [{ path: ['a', 'b'], message: 'Say b.' }] },
  })
})

test("Next's own redirects pass through", async () => {
  await expect(toResult(async () => redirect('/sign-in'))).rejects.toThrow('NEXT_REDIRECT')
})
