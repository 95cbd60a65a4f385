import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { rowOf, type TraceRow, traceColumns } from './trace-columns'

afterEach(cleanup)

const row = { name: 'pay', type: 'chain', status: 'error', error: 'The bank declined.', input: 'A-7' } as TraceRow
const textOf = (column: string, more: Partial<TraceRow> = {}) => {
  const cell = traceColumns.find(({ id }) => id === column)?.cell({ ...row, ...more })
  return render(<p>{cell}</p>).container.textContent
}

test('why a run failed has the room of its input, not that of its status, and no screen is too small for it', () => {
  expect(textOf('status')).toBe('Failed')
  expect(textOf('input')).toBe('The bank declined. · A-7')
  expect(textOf('name')).toContain('The bank declined.')
})

test('the list has no stack of a failed run, and no error of a cancelled one', () => {
  const error = 'Error: Declined.\n    at pay (/srv/agent/pay.mjs:1:1)'
  expect(textOf('input', { error })).toBe('Error: Declined. · A-7')
  expect(textOf('input', { error, outcome: 'cancelled' })).toBe('A-7')
})

test('a trace without an end is unknown after an hour without a word, and running while its children are logged', () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const told = { id: 'a', run_type: 'chain', start_time: ago(120) } as const
  expect(textOf('status', rowOf(told, undefined))).toBe('Unknown')
  expect(textOf('status', rowOf({ ...told, last_time: ago(1) }, undefined))).toBe('Running')
  expect(textOf('status', { ...rowOf({ ...told, last_time: ago(1) }, undefined), outcome: 'success' })).toBe('Finished')
})
