import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { readAsk } from '@/lib/stream/answers'
import { QuickVerbs } from './quick-verbs'

afterEach(cleanup)

const review = (...allowed: string[]) =>
  readAsk({
    action_requests: [{ name: 'send_email', args: { to: 'ada' } }],
    review_configs: [{ action_name: 'send_email', allowed_decisions: allowed }],
  })

test('A, E and R decide, unless something is being typed', () => {
  const onVerb = vi.fn()
  render(
    <>
      <QuickVerbs
        shown=""
        ask={review('approve', 'edit', 'reject')}
        isBusy={false}
        reason={undefined}
        onVerb={onVerb}
        onChoice={() => {}}
      />
      <textarea aria-label="Message" />
    </>,
  )
  for (const key of ['a', 'E', 'r']) fireEvent.keyDown(document.body, { key })
  expect(onVerb.mock.calls.flat()).toEqual(['approve', 'edit', 'reject'])
  fireEvent.keyDown(screen.getByLabelText('Message'), { key: 'a' })
  fireEvent.keyDown(document.body, { key: 'a', ctrlKey: true })
  expect(onVerb).toHaveBeenCalledTimes(3)
})

test('only what the graph allows is offered, and nothing while an answer is sent or not allowed', () => {
  const onVerb = vi.fn()
  const { rerender } = render(
    <QuickVerbs
      shown=""
      ask={review('approve', 'reject')}
      isBusy={false}
      reason={undefined}
      onVerb={onVerb}
      onChoice={() => {}}
    />,
  )
  expect(screen.queryByRole('button', { name: /Edit/ })).toBeNull()
  fireEvent.keyDown(document.body, { key: 'e' })
  rerender(
    <QuickVerbs shown="" ask={review('approve')} isBusy reason={undefined} onVerb={onVerb} onChoice={() => {}} />,
  )
  fireEvent.keyDown(document.body, { key: 'a' })
  rerender(
    <QuickVerbs shown="" ask={review('approve')} isBusy={false} reason="No." onVerb={onVerb} onChoice={() => {}} />,
  )
  fireEvent.keyDown(document.body, { key: 'a' })
  rerender(
    <QuickVerbs
      shown=""
      ask={readAsk('Name?')}
      isBusy={false}
      reason={undefined}
      onVerb={onVerb}
      onChoice={() => {}}
    />,
  )
  expect(screen.queryByRole('button')).toBeNull()
  expect(onVerb).not.toHaveBeenCalled()
})

test('a key that was used already, or that is for a menu, a list or another dialog, decides nothing', () => {
  const onVerb = vi.fn()
  render(
    <>
      <div role="dialog" aria-label="Inspector">
        <QuickVerbs
          shown=""
          ask={review('approve')}
          isBusy={false}
          reason={undefined}
          onVerb={onVerb}
          onChoice={() => {}}
        />
      </div>
      <div role="menu" aria-label="Verbs" tabIndex={-1} />
      <div role="listbox" aria-label="Events" tabIndex={-1} />
      <div role="dialog" aria-label="Share" tabIndex={-1} />
      <button type="button" onKeyDown={(event) => event.preventDefault()}>
        Uses it
      </button>
    </>,
  )
  for (const label of ['Verbs', 'Events', 'Share']) fireEvent.keyDown(screen.getByLabelText(label), { key: 'a' })
  fireEvent.keyDown(screen.getByRole('button', { name: 'Uses it' }), { key: 'a' })
  expect(onVerb).not.toHaveBeenCalled()
  fireEvent.keyDown(screen.getByRole('button', { name: /Approve/ }), { key: 'a' })
  expect(onVerb).toHaveBeenCalledExactlyOnceWith('approve')
})

test('the first nine answers that a question offers have a digit each', () => {
  const onChoice = vi.fn()
  const options = Array.from({ length: 11 }, (_, at) => `Port ${at + 1}`)
  const ask = readAsk({ question: 'Where to?', options })
  render(<QuickVerbs shown="" ask={ask} isBusy={false} reason={undefined} onVerb={() => {}} onChoice={onChoice} />)
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(
    options.slice(0, 9).map((option, at) => `${option}${at + 1}`),
  )
  for (const key of ['2', '9', '0']) fireEvent.keyDown(document.body, { key })
  expect(onChoice.mock.calls.flat()).toEqual(['Port 2', 'Port 9'])
})
