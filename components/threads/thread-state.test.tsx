import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { LoadedState } from '@/lib/queries/thread-states'
import { ThreadState } from './thread-state'

afterEach(cleanup)

const none = { values: {}, next: [], tasks: [], interrupts: [] } as unknown as LoadedState
const shown = (state: LoadedState) => {
  render(<ThreadState state={state} label="State" />)
  return screen.getByText('Next').parentElement?.lastElementChild?.textContent
}

test('a thread without runs has finished nothing', () => {
  expect(shown(none)).toBe('nothing (no runs yet)')
  cleanup()
  expect(shown({ ...none, checkpoint: { thread_id: 't', checkpoint_id: null } } as LoadedState)).toBe(
    'nothing (no runs yet)',
  )
  cleanup()
  expect(shown({ ...none, checkpoint: { thread_id: 't', checkpoint_id: 'c' } } as LoadedState)).toBe(
    'nothing (finished)',
  )
})
