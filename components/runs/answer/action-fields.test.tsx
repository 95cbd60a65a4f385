import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { ActionFields } from './action-fields'

afterEach(cleanup)

function describeAction(description: string) {
  const action = { name: 'Email', args: {}, description, verbs: ['respond', 'reject'] as const }
  const draft = { verb: undefined, args: '{}', message: '' }
  render(<ActionFields id="a" action={action} draft={draft} onChange={() => {}} />)
}

test('the description of an action is Markdown, as inboxes take it', () => {
  describeAction('## Email: the picnic\n\n**From**: Ada')
  expect(screen.getByText('Email: the picnic')).toBeTruthy()
  expect(screen.getByText('From').tagName).toBe('STRONG')
})

test('a long description is plain text that can be cut', () => {
  describeAction(`**From**: Ada ${'x'.repeat(4_000)}`)
  expect(screen.queryByText('From')).toBeNull()
  expect(screen.getByRole('button', { name: /Show/ })).toBeTruthy()
})
