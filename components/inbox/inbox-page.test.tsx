import { expect, test } from 'vitest'
import type { Inbox } from '@/lib/stream/inbox'
import { metaOf } from './inbox-page'

test('an Inbox that could not read every deployment does not say that nothing waits', () => {
  const inbox: Inbox = { threads: [], unread: [], cut: [], pending: 0 }
  const unread = [{ deployment: 'd', deploymentName: 'mails', message: 'bad gateway', readAt: null }]
  expect([metaOf(undefined, undefined), metaOf([], inbox)]).toEqual(['Loading…', 'No waiting threads.'])
  expect(metaOf([], { ...inbox, unread })).toBe('None found.')
  expect(metaOf([], { ...inbox, pending: 1 })).toBe('None found yet. Checking 1 more deployment.')
})
