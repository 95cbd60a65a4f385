import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ErrorNotice } from './error-notice'

vi.mock('next/navigation', () => ({ usePathname: () => '/my%20place/deployments' }))
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('shows the message, each field error with its path, and a request id to copy', async () => {
  const user = userEvent.setup() // also stubs the clipboard
  render(
    <ErrorNotice
      error={{
        message: 'Some fields are invalid.',
        fields: [
          { path: ['source_config', 'repo_url'], message: 'Field required' },
          { path: [], message: 'Too much' },
        ],
        requestId: 'req-1',
      }}
    />,
  )
  const text = screen.getByRole('alert').textContent
  expect(text).toContain('Some fields are invalid.')
  expect(text).toContain('source_config.repo_url Field required')
  expect(text).toContain('Too much')
  await user.click(screen.getByRole('button', { name: 'Copy request id' }))
  expect(await navigator.clipboard.readText()).toBe('req-1')
})

test('a field error that repeats the message is shown once', () => {
  const field = { path: ['deployment_id'], message: 'Input should be a valid UUID' }
  render(<ErrorNotice error={{ message: `deployment_id: ${field.message}`, fields: [field] }} />)
  expect(screen.getByRole('alert').textContent?.split(field.message)).toHaveLength(2)
})

test('offers a retry only if it is given one', async () => {
  const retry = vi.fn()
  const { rerender } = render(<ErrorNotice error={{ message: 'No response.' }} />)
  expect(screen.queryByRole('button')).toBeNull()
  rerender(<ErrorNotice error={{ message: 'No response.' }} onRetry={retry} />)
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(retry).toHaveBeenCalledOnce()
})

test('an ended session offers sign-in instead of a retry', () => {
  render(<ErrorNotice error={{ code: 'unauthenticated', message: 'Your session has ended.' }} onRetry={() => {}} />)
  expect(screen.getByRole('button', { name: 'Sign in' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})

test('next to a form, sign-in opens in a new tab, so that the form is kept', async () => {
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  render(
    <form>
      <ErrorNotice error={{ code: 'unauthenticated', message: 'Your session has ended.' }} />
    </form>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  expect(opened).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^\/sign-in\?callbackUrl=/), '_blank')
})

test('a rejected key links to the page where it can be changed', () => {
  render(<ErrorNotice error={{ code: 'upstream_refused_key', message: 'The key was refused.' }} onRetry={() => {}} />)
  expect(screen.getByRole('link', { name: 'Open settings' }).getAttribute('href')).toBe('/my%20place/settings')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})
