import { expect, test } from 'vitest'
import { cancelOf } from './run-options'
import { elsewhereId, isRowActive, isStatusGroup, STATUS_GROUPS, targetOf } from './run-row'

test('a run is active until it waits or has ended', () => {
  for (const status of ['starting', 'pending', 'running', 'reconnecting']) expect(isRowActive({ status })).toBe(true)
  const others = Object.entries(STATUS_GROUPS).flatMap(([group, statuses]) => (group === 'active' ? [] : statuses))
  for (const status of [...others, 'a newer word', '']) expect(isRowActive({ status })).toBe(false)
})

test('only the names of groups are groups', () => {
  expect(Object.keys(STATUS_GROUPS).every(isStatusGroup)).toBe(true)
  expect(['running', 'toString', ''].some(isStatusGroup)).toBe(false)
})

test('the row of a run that was started elsewhere leads back to its place, whatever is in its ids', () => {
  const place = { deployment: 'a/b', thread: 'ü %', run: '1?2' }
  const id = elsewhereId(place.deployment, place.thread, place.run)
  expect(id).toBe('a%2Fb/%C3%BC%20%25/1%3F2')
  expect(targetOf(id)).toEqual({ kind: 'elsewhere', ...place })
})

test('an id that is no place is that of a recording', () => {
  for (const id of ['rec-1', 'a/b', 'a/b/', '/b/c', 'a//c', '']) expect(targetOf(id)).toEqual({ kind: 'recording', id })
})

test('an id that was not encoded is read as it is', () => {
  expect(targetOf('100%/t/r')).toEqual({ kind: 'elsewhere', deployment: '100%', thread: 't', run: 'r' })
})

test('an error that reports a cancel is told from the error of a run', () => {
  expect(cancelOf({ error: 'UserRollback', message: 'User cancelled' })).toBe('rollback')
  expect(cancelOf({ error: 'Error', message: 'rollback' })).toBe('rollback')
  expect(cancelOf({ error: 'UserInterrupt', message: 'An internal error occurred' })).toBe('interrupt')
  expect(cancelOf({ error: 'Error', message: 'interrupt' })).toBe('interrupt')
  for (const data of [{}, { error: 'Error' }, { error: 'Error', message: 'no rollback' }, { message: 'rollback' }])
    expect(cancelOf(data)).toBeUndefined()
})
