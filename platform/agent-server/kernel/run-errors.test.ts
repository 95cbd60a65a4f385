import { describe, expect, test } from 'vitest'
import { describeError, HttpError, invalid, isConnectionError, notFound, StoreLost, stackOf, withStore } from './errors'

test('an error response has its status, its detail and a message for the log', () => {
  expect(notFound('Thread', 'x')).toMatchObject({ status: 404, detail: 'Thread x not found.', headers: {} })
  const detail = [{ loc: ['body', 'a'], msg: 'wrong', type: 'value_error' }]
  expect(invalid(['body', 'a'], 'wrong')).toMatchObject({ status: 422, detail, message: JSON.stringify(detail) })
  expect(new HttpError(409, 'Busy', { 'retry-after': '1' })).toMatchObject({
    name: 'HttpError',
    message: 'Busy',
    headers: { 'retry-after': '1' },
  })
})

describe('an error of the store', () => {
  const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code })

  test.each([
    [withCode('08006'), true],
    [withCode('57P01'), true],
    [withCode('57014'), true],
    [withCode('53300', 'too many connections for role "agent"'), true],
    [withCode('ECONNREFUSED'), true],
    [withCode('ECONNRESET'), true],
    [withCode('EPIPE'), true],
    [withCode('ETIMEDOUT'), true],
    [withCode('EHOSTUNREACH'), true],
    [new Error('Connection terminated unexpectedly'), true],
    [new Error('timeout exceeded when trying to connect'), true],
    [new Error('Query read timeout'), true],
    [new Error('Client has encountered a connection error and is not queryable'), true],
    [withCode('23505'), false],
    [withCode('53200'), false],
    [withCode('42P08'), false],
    [withCode('X57P01'), false],
    [new Error('The Connection terminated'), false],
    [new Error('broken'), false],
    [{ code: '08006' }, false],
    ['08006', false],
  ])('%s is one of the connection: %s', async (error, isLost) => {
    expect(isConnectionError(error)).toBe(isLost)
    const thrown = await withStore(() => Promise.reject(error)).catch((caught: unknown) => caught)
    if (!isLost) return expect(thrown).toBe(error)
    expect(thrown).toBeInstanceOf(StoreLost)
    expect(thrown).toMatchObject({ name: 'StoreLost', message: (error as Error).message, cause: error })
  })

  test('is none where the work succeeds', async () => {
    expect(await withStore(async () => 7)).toBe(7)
  })
})

describe('what a graph throws', () => {
  class NoLuck extends Error {
    override name = 'NoLuck'
  }
  /** What this runtime throws where it cannot mark a value. */
  const unmarked = (value: unknown): unknown => {
    try {
      ;(value as { pregelTaskId: string }).pregelTaskId = 'task'
    } catch (thrown) {
      return thrown
    }
    return undefined
  }
  test.each<[string, unknown, string, string]>([
    ['an error', new NoLuck('It was not to be.'), 'NoLuck', 'It was not to be.'],
    ['an error without a name', Object.assign(new Error('x'), { name: '' }), 'Error', 'x'],
    ['an error of another realm', { name: 'TypeError', message: 'x', stack: 's' }, 'TypeError', 'x'],
    ['a text', 'broken', 'Error', 'broken'],
    ['nothing', undefined, 'Error', 'The graph threw undefined.'],
    ['null', null, 'Error', 'The graph threw null.'],
    ['a number', 7, 'Error', 'The graph threw 7.'],
    ['an object without a name', { message: 'x' }, 'Error', 'x'],
    ['an object without a message', { code: 402 }, 'Error', 'The graph threw {"code":402}.'],
    ['an object with an odd name', { name: 1, message: 'x' }, 'Error', 'x'],
    ['an object that is no JSON', { big: 1n }, 'Error', 'The graph threw an object that is no error.'],
    ['an error that cannot be changed', Object.freeze(new NoLuck('x')), 'NoLuck', 'x'],
    ['a text, in a runtime', unmarked('Don’t\n‘x’'), 'Error', 'Don’t\n‘x’'],
    ['a number, in a runtime', unmarked(7), 'Error', 'The graph threw 7.'],
    ['null, in a runtime', unmarked(null), 'Error', 'The graph threw null.'],
    ['nothing, in a runtime', unmarked(undefined), 'Error', 'The graph threw undefined.'],
    ['a help address at the end', new Error('Bad.\n\nTroubleshooting URL: https://x.example/a \n'), 'Error', 'Bad.'],
    [
      'a help address inside',
      new Error('See Troubleshooting URL: https://x.example/a for more'),
      'Error',
      'See Troubleshooting URL: https://x.example/a for more',
    ],
  ])('is told by its name and message: %s', (_, thrown, error, message) => {
    expect(describeError(thrown)).toEqual({ error, message })
  })

  test('is logged with its stack, or by its name and message', () => {
    const error = new NoLuck('x')
    expect(stackOf(error)).toBe(error.stack)
    error.stack = undefined
    expect(stackOf(error)).toBe('NoLuck: x')
    expect(stackOf('text')).toBe('text')
  })
})
