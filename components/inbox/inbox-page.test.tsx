import { expect, test } from 'vitest'
import type { Inbox } from '@/lib/stream/inbox'
import { metaOf } from './inbox-page'

test('the header of the Inbox says what is not read yet, and does not repeat an empty list', () => {
  const inbox: Inbox = { threads: [], unread: [], cut: [], pending: 0 }
  const unread = [{ deployment: 'd', deploymentName: 'mails', message: 'bad gateway', readAt: null }]
  expect(metaOf(undefined, undefined, undefined)).toBe('Loading…')
  // The list itself says that nothing was found.
  expect([metaOf([], inbox, undefined), metaOf([], { ...inbox, unread }, undefined)]).toEqual([null, null])
  expect(metaOf([], { ...inbox, pending: 1 }, undefined)).toBe('None found yet. Checking 1 more deployment.')
})

test('an Inbox that cannot be read is not said to load', () => {
  expect(
    metaOf(undefined, undefined, { code: 'upstream_failed', message: 'The server responded with status 500.' }),
  ).toBeNull()
})
