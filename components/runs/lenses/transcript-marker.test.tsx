import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { TranscriptMarker } from './transcript-marker'

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
