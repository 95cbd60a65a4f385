import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { navigation } from '@/lib/navigation'
import { NavigationBar } from './navigation-bar'

let path = '/local'
vi.mock('next/navigation', () => ({ usePathname: () => path, useSearchParams: () => new URLSearchParams() }))

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  navigation.end()
  vi.useRealTimers()
})
const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms))
const bar = () => screen.queryByRole('progressbar', { name: 'Loading the page' })

test('a page that is late has a bar until it comes, one in time has none', () => {
  const { rerender } = render(<NavigationBar />)
  act(() => navigation.begin('/local/deployments'))
  wait(100)
  expect(bar()).toBeNull()
  wait(100)
  expect(bar()).not.toBeNull()
  path = '/local/deployments'
  rerender(<NavigationBar />)
  expect(bar()).toBeNull()
  act(() => navigation.begin('/local/runs'))
  wait(100)
  path = '/local/runs'
  rerender(<NavigationBar />)
  wait(1000)
  expect(bar()).toBeNull()
})

test('there is no bar for the address that is shown, and none for good', () => {
  render(<NavigationBar />)
  act(() => navigation.begin(location.href))
  wait(1000)
  expect(bar()).toBeNull()
  act(() => navigation.begin('/local/runs'))
  wait(29_000)
  expect(bar()).not.toBeNull()
  wait(2_000)
  expect(bar()).toBeNull()
})
