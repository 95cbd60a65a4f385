import { signOut } from 'next-auth/react'
import { expect, test, vi } from 'vitest'
import { endSession } from './sign-out'

vi.mock('next-auth/react', () => ({ signOut: vi.fn() }))

test('signing out leaves no draft in the browser', async () => {
  sessionStorage.setItem('draft', 'what somebody typed')
  await endSession()
  expect(sessionStorage).toHaveLength(0)
  // From there to the identity provider, if the browser came from it.
  expect(signOut).toHaveBeenCalledWith({ callbackUrl: '/sign-out' })
})
