import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UserMenu } from '../user-menu'
import { applyTheme, followTheme, readTheme, THEME_SCRIPT } from './theme'

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))
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
  'theme %s with a dark system (%s) shows %s, before and after the first paint',
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

test('an unknown stored theme falls back to the system theme', () => {
  localStorage.setItem('pilothouse-theme', 'purple')
  isDark = true
  new Function(THEME_SCRIPT)()
  expect(shown()).toBe('dark')
  expect(readTheme()).toBe('system')
})

test('the page follows the system theme only while no theme is chosen', () => {
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

test('a theme chosen in another tab is applied', () => {
  const end = followTheme()
  localStorage.setItem('pilothouse-theme', 'dark')
  window.dispatchEvent(new StorageEvent('storage', { key: 'pilothouse-theme', newValue: 'dark' }))
  expect(shown()).toBe('dark')
  end()
})

test('the account menu shows the user and the current theme, and changes the theme', async () => {
  render(<UserMenu email="pilot@example.com" workspace="local" workspaceRole="developer" />)
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
