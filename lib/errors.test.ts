import { expect, test, vi } from 'vitest'
import { AppError } from './errors'

test('an AppError from another copy of the module is recognized, and a subclass keeps its class', async () => {
  vi.resetModules()
  const copy = await import('./errors')
  expect(copy.AppError).not.toBe(AppError)
  expect(new copy.AppError('conflict', 'x')).toBeInstanceOf(AppError)
  class Special extends AppError {}
  expect(new Special('conflict', 'x')).toBeInstanceOf(AppError)
  expect(new AppError('conflict', 'x')).not.toBeInstanceOf(Special)
  expect(new Error('x')).not.toBeInstanceOf(AppError)
})
