import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test } from 'vitest'
import { MessageCard } from './message-card'
import { itemVersion, type JoinableMessage, messageItems } from './message-items'

afterEach(cleanup)

const message = (change: Partial<JoinableMessage>): JoinableMessage => ({
  role: 'ai',
  name: undefined,
  parts: [],
  toolCalls: [],
  toolCallId: undefined,
  toolStatus: undefined,
  usage: undefined,
  isComplete: true,
  isRemoved: false,
  version: 1,
  ...change,
})
const show = (messages: JoinableMessage[]) =>
  render(
    messageItems(messages).map((item, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
      <MessageCard key={index} message={item.message} version={itemVersion(item)} results={item.results} node="agent" />
    )),
  )

const caller = message({
  parts: [
    { kind: 'reasoning', text: 'They want the tides.' },
    { kind: 'text', text: 'I look it up.' },
  ],
  toolCalls: [
    { id: 'c1', name: 'tides', args: '{"day":12345678901234567890}' },
    { id: 'c2', name: 'wind', args: '{"da' },
  ],
})
const result = message({
  role: 'tool',
  toolCallId: 'c1',
  toolStatus: 'error',
  parts: [{ kind: 'text', text: 'No such day' }],
})

describe('tool calls', () => {
  test('show their results, matched by call id', () => {
    show([caller, result])
    expect(screen.getAllByRole('article')).toHaveLength(1)
    const tides = screen.getByRole('group', { name: 'Tool call tides' })
    expect(within(tides).getByText('No such day')).toBeTruthy()
    expect(within(tides).getByText('Failed')).toBeTruthy()
    expect(within(tides).getByText(/12345678901234567890/)).toBeTruthy()
  })
  test('show partial arguments while they stream', () => {
    show([message({ ...caller, isComplete: false })])
    const wind = screen.getByRole('group', { name: 'Tool call wind' })
    expect(within(wind).getByText('{"da')).toBeTruthy()
    expect(within(wind).getByText('Calling')).toBeTruthy()
  })
  test('without a result say that none is left to come, if so', () => {
    const card = (noResult?: string) => <MessageCard message={caller} version={1} noResult={noResult} />
    const { rerender } = render(card())
    expect(screen.getAllByText('No result yet')).toHaveLength(2)
    rerender(card('No result'))
    expect(screen.getAllByText('No result')).toHaveLength(2)
  })
  test('a result without a known call is shown by itself', () => {
    show([result])
    expect(screen.getByRole('article', { name: 'Tool message' }).textContent).toContain('No such day')
  })
})

test('reasoning is collapsed and can be opened', async () => {
  show([caller])
  const details = screen.getByText('Reasoning').closest('details')
  expect(details?.open).toBe(false)
  await userEvent.click(screen.getByText('Reasoning'))
  expect(details?.open).toBe(true)
})

describe('hostile content', () => {
  test('is text: no markup, no remote images, nothing invisible', () => {
    const { container } = show([
      message({
        parts: [
          { kind: 'text', text: '<img src=x onerror=alert(1)> ![p](https://evil.example/p.png) a\u202Eb' },
          { kind: 'block', block: { type: 'image_url', image_url: { url: 'https://evil.example/p.png' } } },
          { kind: 'block', block: { type: 'image', mime_type: 'image/svg+xml', base64: 'PHN2Zy8+' } },
        ],
      }),
    ])
    expect(container.querySelector('img, svg image, iframe, script')).toBeNull()
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('rel'))).toEqual(
      Array(2).fill(expect.stringContaining('noopener')),
    ) // the links to the images
    expect(screen.getByText(/<img src=x onerror/)).toBeTruthy()
    expect(screen.getByText('RLO')).toBeTruthy()
    expect(screen.getByText(/A picture elsewhere, not loaded/)).toBeTruthy()
  })
  test('an inline image of a safe type is shown', () => {
    const { container } = show([
      message({ parts: [{ kind: 'block', block: { type: 'image', mime_type: 'image/png', base64: 'iVBORw0KGgo=' } }] }),
    ])
    expect(container.querySelector('img')?.getAttribute('src')).toBe('data:image/png;base64,iVBORw0KGgo=')
  })
})

test('a message mutated in place renders only when its version changes', () => {
  const growing = message({ parts: [{ kind: 'text', text: 'one' }], isComplete: false })
  const card = (version: number) => <MessageCard message={growing} version={version} />
  const { rerender } = render(card(1))
  const part = growing.parts[0] as { text: string }
  part.text = 'one two'
  rerender(card(1))
  expect(screen.queryByText('one two')).toBeNull()
  rerender(card(2))
  expect(screen.getByText('one two')).toBeTruthy()
})

test('a call whose arguments are still to come is not said to have none', () => {
  const call = { id: 'c', name: 'clock', args: '' }
  show([message({ toolCalls: [call], isComplete: false })])
  expect(screen.queryByText('none')).toBeNull()
  cleanup()
  show([message({ toolCalls: [call] })])
  expect(screen.getByText('none')).toBeDefined()
})
