import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { TranscriptMarker } from './transcript-marker'

vi.mock('next/navigation', () => ({
  ...{ useRouter: () => ({}), usePathname: () => '/', useSearchParams: () => new URLSearchParams() },
}))
afterEach(cleanup)

const show = (value: unknown) =>
  render(<TranscriptMarker marker={{ kind: 'interrupt', id: '1', value }} />).container.textContent ?? ''

test('a question reads as in the form that answers it, not as JSON', () => {
  const choice = show({ question: 'Where to?', options: ['Inn', 'Port'] })
  expect(choice).toBe('QuestionWhere to?InnPort')
  expect(screen.getByRole('list', { name: 'Answers offered' })).toBeDefined()
  const request = { name: 'send_email', args: { to: 'ada' }, description: 'A reply to **Ada**' }
  const action = show({ action_requests: [request], review_configs: [{ action_name: 'send_email' }] })
  expect(action).toMatch(/send_email\s*A reply to Ada\s*\{\s*"to": "ada"\s*\}/)
  expect(action).not.toContain('action_requests')
  expect(show('Your name?')).toBe('QuestionYour name?')
})

test('where a late recording has no messages, the values that are known are one press away', () => {
  const shown = (isSilent: boolean, state?: string) => {
    cleanup()
    const entry = { seq: 1, at: 1, kind: 'joined', ...(state !== undefined && { state }) } as const
    return render(<TranscriptMarker marker={{ kind: 'gap', entry, isSilent }} />).container.textContent
  }
  const press = () => {
    fireEvent.click(screen.getByRole('button', { name: /^Show/ }))
    return new URLSearchParams(location.search).get('lens')
  }
  expect(shown(true, '{}')).toMatch(/no messages are known\. The state has the values so far\.Show state$/)
  expect(press()).toBe('state')
  expect(shown(true)).toMatch(/no messages have arrived since\.Show steps$/)
  expect(press()).toBe('steps')
  expect(shown(false, '{}')).toMatch(/The thread’s state at that time is shown instead\.$/)
  expect(shown(false)).toMatch(/Earlier output is missing\.$/)
})
