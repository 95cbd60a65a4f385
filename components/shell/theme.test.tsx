import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { applyTheme, followTheme, readTheme, THEME_SCRIPT } from './theme'
import { UserMenu } from './user-menu'

vi.mock('next-auth/react', () => ({ signOut: vi.fn() }))
vi.mock('@/lib/actions/account', () => ({ changePassword: vi.fn() }))

let isDark = false
let changed: (() => void) | undefined
const shown = () => document.documentElement.dataset.theme

beforeEach(() => {
  isDark = false
  changed = undefined
  localStorage.clear()
  delete document.documentElement.dataset.theme
  vi.stubGlobal('matchMedia', () => ({
    get matches() {
      return isDark
    },
    addEventListener: (_: string, listener: () => void) => {
      changed = listener
    },
    removeEventListener: () => {
      changed = undefined
    },
  }))
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each([
  ['dark', false, 'dark'],
  ['light', true, 'light'],
  ['system', true, 'dark'],
  ['system', false, 'light'],
] as const)(
  '%s on a machine that is dark (%s) shows %s, before the first paint and after',
  (theme, machine, expected) => {
    isDark = machine
    applyTheme(theme)
    expect(shown()).toBe(expected)
    delete document.documentElement.dataset.theme
    new Function(THEME_SCRIPT)()
    expect(shown()).toBe(expected)
    expect(readTheme()).toBe(theme)
  },
)

test('what is kept and is no theme follows the machine', () => {
  localStorage.setItem('pilothouse-theme', 'purple')
  isDark = true
  new Function(THEME_SCRIPT)()
  expect(shown()).toBe('dark')
  expect(readTheme()).toBe('system')
})

test('the page follows the machine only while the choice is left to it', () => {
  const end = followTheme()
  expect(shown()).toBe('light')
  isDark = true
  changed?.()
  expect(shown()).toBe('dark')
  applyTheme('light')
  changed?.()
  expect(shown()).toBe('light')
  end()
  expect(changed).toBeUndefined()
})

test('the choice of another tab is taken over', () => {
  const end = followTheme()
  localStorage.setItem('pilothouse-theme', 'dark')
  window.dispatchEvent(new StorageEvent('storage', { key: 'pilothouse-theme', newValue: 'dark' }))
  expect(shown()).toBe('dark')
  end()
})

test('the account menu shows who one is and which theme holds, and changes it', async () => {
  render(<UserMenu email="pilot@example.com" workspaceRole="developer" />)
  await userEvent.click(screen.getByRole('button', { name: 'Account menu' }))
  expect(await screen.findByText('pilot@example.com')).toBeDefined()
  expect(screen.getByText('developer in this workspace')).toBeDefined()
  const choice = (name: string) => screen.getByRole('menuitemradio', { name }).getAttribute('aria-checked')
  expect(choice('System theme')).toBe('true')
  await userEvent.click(screen.getByRole('menuitemradio', { name: 'Dark theme' }))
  expect(shown()).toBe('dark')
  expect(choice('Dark theme')).toBe('true')
  expect(choice('System theme')).toBe('false')
})
