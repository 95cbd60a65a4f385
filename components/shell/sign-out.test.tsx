import { renderHook } from '@testing-library/react'
import { signOut } from 'next-auth/react'
import { expect, test, vi } from 'vitest'
import { keepRecentOf, readRecent, useOpened } from '@/components/shared/layout/recent'
import { endSession } from './sign-out'

vi.mock('next-auth/react', () => ({ signOut: vi.fn() }))

test('signing out leaves no draft in the browser, and no name of what was opened', async () => {
  sessionStorage.setItem('draft', 'what somebody typed')
  keepRecentOf('ada@example.com')
  renderHook(() => useOpened('/local/deployments/d', 'Deployment', 'harbour'))
  await endSession()
  expect(sessionStorage).toHaveLength(0)
  expect(readRecent()).toEqual([])
  // From there to the identity provider, if the browser came from it.
  expect(signOut).toHaveBeenCalledWith({ callbackUrl: '/sign-out' })
})
