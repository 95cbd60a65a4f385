import { cleanup, render, screen } from '@testing-library/react'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { afterEach, expect, test } from 'vitest'
import { PageSkeleton } from './page-skeleton'

afterEach(cleanup)

function isConversation(path: string): boolean {
  cleanup()
  render(
    <PathnameContext value={path}>
      <PageSkeleton />
    </PathnameContext>,
  )
  return screen.queryByRole('status', { name: 'Loading conversation' }) !== null
}

test('a chat and a thread have the layout of a conversation while they load, lists that of a list', () => {
  const deployment = '/local/deployments/d'
  expect([`${deployment}/chat`, `${deployment}/chat/t`, `${deployment}/threads/t`].map(isConversation)).toEqual(
    Array(3).fill(true),
  )
  expect([deployment, `${deployment}/threads`, '/local/threads', '/chat/deployments'].map(isConversation)).toEqual(
    Array(4).fill(false),
  )
})
