import { cleanup, fireEvent, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { QuickVerbs } from '@/components/runs/answer/quick-verbs'
import type { Role } from '@/lib/contracts/wire/api'
import { readAsk } from '@/lib/stream/answers'
import { KEYS_SCRIPT } from './early/keys'
import { goLive } from './early/live'
import { useShellKeys } from './use-shell-keys'

const push = vi.hoisted(() => vi.fn())
vi.mock('next/navigation', () => ({ useRouter: () => ({ push }) }))

const ask = readAsk({
  action_requests: [{ name: 'send_email', args: { to: 'ada' } }],
  review_configs: [{ action_name: 'send_email', allowed_decisions: ['approve', 'reject'] }],
})
const onVerb = vi.fn()
const onOpen = vi.fn()

function Page({ as }: { as: Role }) {
  useShellKeys({ slug: 'local', role: as }, onOpen)
  return <QuickVerbs shown="" ask={ask} isBusy={false} reason={undefined} onVerb={onVerb} onChoice={() => {}} />
}
const press = (...keys: string[]) => {
  for (const key of keys) fireEvent.keyDown(document.body, { key })
}

afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

test('a section that is not offered takes its letter too, so that G then A approves nothing', () => {
  render(<Page as="developer" />)
  press('g', 'a')
  expect(push).not.toHaveBeenCalled()
  expect(onVerb).not.toHaveBeenCalled()
  press('a')
  expect(onVerb).toHaveBeenCalledExactlyOnceWith('approve')
})

test('G then the letter of a section goes there', () => {
  render(<Page as="admin" />)
  press('g', 'a')
  expect(push).toHaveBeenCalledExactlyOnceWith('/local/audit')
  press('g', 'Enter', 'r')
  expect(onVerb).toHaveBeenCalledExactlyOnceWith('reject')
})

test('keys of the shell that are pressed before the program has come are followed once, and decide nothing', () => {
  new Function(KEYS_SCRIPT)()
  press('g', 'a', '?', 'r')
  const isLeftToBrowser = fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  render(<Page as="admin" />)
  goLive()
  expect(push).toHaveBeenCalledExactlyOnceWith('/local/audit')
  expect(onOpen.mock.calls).toEqual([['shortcuts'], ['palette']])
  expect(isLeftToBrowser).toBe(false)
  expect(onVerb).not.toHaveBeenCalled()
  press('g', 'h')
  expect(push).toHaveBeenCalledTimes(2)
})

test('keys of a page without the shell are forgotten', () => {
  new Function(KEYS_SCRIPT)()
  press('g', 'a')
  goLive()
  press('?')
  render(<Page as="admin" />)
  expect(push).not.toHaveBeenCalled()
  expect(onOpen).not.toHaveBeenCalled()
})
