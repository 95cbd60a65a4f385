import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { useEarlyKey } from '@/components/shared/list/early-key'
import { shownQuestion } from '@/lib/stream/inbox'
import { ThreadAnswers } from './thread-answers'

afterEach(cleanup)

const review = (id: string) => ({
  id,
  value: {
    action_requests: [{ name: 'send_email', args: { to: id } }],
    review_configs: [{ action_name: 'send_email', allowed_decisions: ['approve', 'edit', 'reject'] }],
  },
  schema: undefined,
  namespace: [],
})
const choice = (id: string) => ({ ...review(id), value: { question: `Where to, ${id}?`, options: ['Inn', 'Port'] } })
type Question = Omit<ReturnType<typeof review>, 'value'> & { value: object }
function open(ids: readonly string[], marked?: string, questionOf: (id: string) => Question = review) {
  const onSend = vi.fn()
  render(
    <ThreadAnswers
      questions={ids.map(questionOf)}
      next={[]}
      marked={marked}
      isBusy={false}
      linkTo={(id) => `/${id}`}
      onSend={onSend}
    />,
  )
  return onSend
}
const press = (key: string) => fireEvent.keyDown(document.body, { key })
const isChosen = (verb: string, title: string) =>
  within(screen.getByRole('region', { name: title })).getByRole<HTMLInputElement>('radio', { name: verb }).checked

test('of several questions the keys decide the first open one, say which, and send nothing', async () => {
  Element.prototype.scrollIntoView ??= () => {}
  const onSend = open(['ada', 'bob', 'eve'], 'bob')
  expect(screen.getByRole('status').textContent).toBe('Question 2 of 3')
  press('a')
  expect(isChosen('Approve', 'Question 2 of 3')).toBe(true)
  expect(screen.getByRole('status').textContent).toBe('Question 1 of 3')
  press('r')
  await waitFor(() =>
    expect(screen.getByRole('region', { name: 'Question 1 of 3' }).contains(document.activeElement)).toBe(true),
  )
  press('A')
  expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull()
  const send = screen.getByRole('button', { name: 'Send 3 answers' })
  await waitFor(() => expect(document.activeElement).toBe(send))
  expect(onSend).not.toHaveBeenCalled()
  fireEvent.click(send)
  expect(onSend.mock.lastCall?.[0]).toMatchObject([
    { id: 'ada', answer: { decisions: [{ type: 'reject' }] } },
    { id: 'bob', answer: { decisions: [{ type: 'approve' }] } },
    { id: 'eve', answer: { decisions: [{ type: 'approve' }] } },
  ])
})

test('the only question is approved and sent with one key', () => {
  const onSend = open(['ada'])
  press('a')
  expect(onSend.mock.lastCall?.[0]).toMatchObject([{ id: 'ada', answer: { decisions: [{ type: 'approve' }] } }])
})

test('the only question is answered with the digit of a choice; several are answered together', async () => {
  const onSend = open(['ada'], undefined, choice)
  press('2')
  expect(onSend.mock.lastCall?.[0]).toMatchObject([{ id: 'ada', answer: 'Port' }])
  cleanup()
  const onSendBoth = open(['ada', 'bob'], undefined, choice)
  press('1')
  expect(isChosen('Inn', 'Question 1 of 2')).toBe(true)
  press('2')
  const send = screen.getByRole('button', { name: 'Send 2 answers' })
  await waitFor(() => expect(document.activeElement).toBe(send))
  expect(onSendBoth).not.toHaveBeenCalled()
})

type EarlyProps = { shown: Question; loaded: Question | undefined; onSend: () => void }
/** A line for one question, and in time the panel of the same or another. */
function EarlyPage({ shown, loaded, onSend }: EarlyProps) {
  useEarlyKey(shownQuestion(shown))
  return loaded ? (
    <ThreadAnswers questions={[loaded]} next={[]} isBusy={false} linkTo={() => ''} onSend={onSend} />
  ) : null
}

describe('a key that is pressed before the question has loaded', () => {
  function load(shown: Question, loaded: Question, ...keys: string[]) {
    cleanup()
    const onSend = vi.fn()
    const { rerender } = render(<EarlyPage {...{ shown, onSend }} loaded={undefined} />)
    for (const key of keys) key === 'click' ? fireEvent.click(document.body) : press(key)
    rerender(<EarlyPage {...{ shown, loaded, onSend }} />)
    return onSend
  }

  test('answers it then, once', () => {
    const onSend = load(review('ada'), review('ada'), 'a')
    expect(onSend).toHaveBeenCalledOnce()
    expect(onSend.mock.lastCall?.[0]).toMatchObject([{ id: 'ada', answer: { decisions: [{ type: 'approve' }] } }])
  })

  test('never answers another question, also one with the same id', () => {
    expect(load(review('ada'), review('bob'), 'a')).not.toHaveBeenCalled()
    expect(load(review('ada'), choice('ada'), '1')).not.toHaveBeenCalled()
  })

  test('is taken back by another key or a click', () => {
    expect(load(review('ada'), review('ada'), 'a', 'j')).not.toHaveBeenCalled()
    expect(load(review('ada'), review('ada'), 'a', 'click')).not.toHaveBeenCalled()
  })

  test('is not used again for the next panel', () => {
    expect(load(review('ada'), review('ada'), 'a')).toHaveBeenCalledOnce()
    expect(load(review('ada'), review('ada'))).not.toHaveBeenCalled()
  })
})
