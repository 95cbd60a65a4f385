import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { signIn } from 'next-auth/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SignInForm } from './sign-in-form'

const router = { replace: vi.fn(), refresh: vi.fn() }
vi.mock('next/navigation', () => ({ useRouter: () => router }))
vi.mock('next-auth/react', () => ({ signIn: vi.fn() }))
const signInMock = vi.mocked(signIn)
const refused = (error: string) => ({ error, ok: false, status: 401, url: null, code: error })

beforeEach(() => vi.clearAllMocks())
afterEach(cleanup)

const field = (label: string) => screen.getByLabelText(label) as HTMLInputElement
async function signInWith(email: string, password: string) {
  await userEvent.type(field('Email'), email)
  await userEvent.type(field('Password'), password)
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }))
}

test('wrong credentials show an error and keep what was typed', async () => {
  signInMock.mockResolvedValue(refused('CredentialsSignin'))
  render(<SignInForm hasSingleSignOn={false} />)
  await signInWith('pilot@example.com', 'not this one')
  expect((await screen.findByRole('alert')).textContent).toBe('Wrong email or password.')
  expect(field('Email').value).toBe('pilot@example.com')
  expect(field('Password').value).toBe('not this one')
  expect(router.replace).not.toHaveBeenCalled()
})

test('too many attempts show when to try again', async () => {
  signInMock.mockResolvedValue(refused('RateLimited:150'))
  render(<SignInForm hasSingleSignOn={false} />)
  await signInWith('pilot@example.com', 'x')
  expect((await screen.findByRole('alert')).textContent).toBe('Too many attempts. Try again in 3 minutes.')
})

test('too many passkeys show when to try again, before the browser asks for one', async () => {
  const error = { code: 'rate_limited', message: '', fields: [], requestId: '', retryAfterMs: 30_000 }
  vi.stubGlobal('fetch', async () => Response.json({ ok: false, error }, { status: 429 }))
  render(<SignInForm hasSingleSignOn={false} hasPasskeys />)
  await userEvent.click(screen.getByRole('button', { name: 'Sign in with a passkey' }))
  expect((await screen.findByRole('alert')).textContent).toBe('Too many attempts. Try again in 1 minute.')
  expect(signInMock).not.toHaveBeenCalled()
  vi.unstubAllGlobals()
})

test('an unreachable console shows an error, and the form can be sent again', async () => {
  signInMock.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  render(<SignInForm hasSingleSignOn={false} />)
  await signInWith('pilot@example.com', 'right')
  expect((await screen.findByRole('alert')).textContent).toMatch(/did not respond/)
  signInMock.mockResolvedValue({ error: null, ok: true, status: 200, url: '', code: '' } as never)
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(router.replace).toHaveBeenCalledOnce())
  expect(screen.queryByRole('alert')).toBeNull()
})

test.each([
  ['/local/audit?before=3', '/local/audit?before=3'],
  ['http://localhost:3000/local/runs', '/local/runs'],
  ['https://evil.example.com/local', '/local'],
  ['//evil.example.com', '/'],
  ['/\\evil.example.com', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?callbackUrl=/x', '/'],
  ['/new-password', '/'],
  [undefined, '/'],
])('after signing in with the callback URL %s the page is %s', async (callbackUrl, path) => {
  signInMock.mockResolvedValue({ error: null, ok: true, status: 200, url: '', code: '' } as never)
  render(<SignInForm callbackUrl={callbackUrl} hasSingleSignOn={false} />)
  await signInWith('pilot@example.com', 'right')
  await waitFor(() => expect(router.replace).toHaveBeenCalledWith(path))
})

test('an ended session shows a notice until sign-in fails', async () => {
  signInMock.mockResolvedValue(refused('CredentialsSignin'))
  render(<SignInForm callbackUrl="/local/deployments" isSessionEnded hasSingleSignOn={false} />)
  expect(screen.getByText(/Your session has ended/)).toBeDefined()
  await signInWith('pilot@example.com', 'x')
  await screen.findByRole('alert')
  expect(screen.queryByText(/Your session has ended/)).toBeNull()
})

test('a first visit shows no notice, even when it leads back to a page', () => {
  render(<SignInForm callbackUrl="/local/deployments" hasSingleSignOn={false} />)
  expect(screen.queryByText(/Your session has ended/)).toBeNull()
})

test('single sign-on is offered only when it is configured', async () => {
  const { rerender } = render(<SignInForm hasSingleSignOn={false} />)
  expect(screen.queryByRole('button', { name: /single sign-on/ })).toBeNull()
  rerender(<SignInForm hasSingleSignOn callbackUrl="/local/runs" />)
  await userEvent.click(screen.getByRole('button', { name: /single sign-on/ }))
  expect(signInMock).toHaveBeenCalledWith('oidc', { callbackUrl: '/local/runs' })
})
