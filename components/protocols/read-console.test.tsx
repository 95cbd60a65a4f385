import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ComponentProps, ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { ReadConsole } from './read-console'

afterEach(cleanup)

type Props = ComponentProps<typeof ReadConsole>
const conversation = {
  ...{ exchanges: [], error: undefined, isBusy: false, since: undefined, wasStopped: false, stop: vi.fn() },
} as unknown as Props['conversation']
const show = (more: Partial<Props> = {}) => {
  const onSubmit = vi.fn()
  const given: Props = {
    ...{ name: 'file:///notes', description: undefined, label: 'Read resource', action: 'Read', reason: undefined },
    ...{
      onSubmit,
      conversation,
      response: undefined,
      result: undefined,
      empty: 'Nothing in it',
      children: null as ReactNode,
    },
    ...more,
  }
  render(<ReadConsole {...given} />)
  return onSubmit
}
const form = () => screen.getByRole('form', { name: 'Read resource' })

test('the form asks once, and shows no result before the first answer', () => {
  const onSubmit = show()
  fireEvent.submit(form())
  expect(onSubmit).toHaveBeenCalledTimes(1)
  expect(screen.queryByRole('region', { name: 'Result' })).toBeNull()
})

test('while it is busy nothing more is sent, and it can be stopped', () => {
  const stop = vi.fn()
  const onSubmit = show({ conversation: { ...conversation, isBusy: true, stop } })
  fireEvent.submit(form())
  expect(onSubmit).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }))
  expect(stop).toHaveBeenCalled()
})

test('without the right nothing is sent', () => {
  const onSubmit = show({ reason: 'Requires the developer role.' })
  fireEvent.submit(form())
  expect(onSubmit).not.toHaveBeenCalled()
})

test('an empty result and an error of the server are told apart', () => {
  show({ result: [] })
  expect(screen.getByRole('region', { name: 'Result' }).textContent).toContain('Nothing in it')
  cleanup()
  show({ response: { id: 1, error: { code: -32602, message: 'No such resource' } } as never })
  expect(document.body.textContent).toContain('No such resource')
  expect(screen.queryByRole('region', { name: 'Result' })).toBeNull()
})
