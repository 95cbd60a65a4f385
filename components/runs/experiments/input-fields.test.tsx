import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { InputFields } from './input-fields'

afterEach(cleanup)

test('a viewer is told that saved inputs need another role, and can use them', () => {
  const sets = [{ id: 's', name: 'sums', inputs: ['{"n": 1}'] }]
  const used: string[] = []
  render(
    <Rights canRun={false} canAdminister={false}>
      <InputFields
        workspace="local"
        value={{ kind: 'message', text: 'What is 2 * 3?', chosen: [] }}
        onChange={({ text }) => used.push(text)}
        past={[]}
        sets={sets}
        onSets={() => {}}
        problem={undefined}
        onSubmit={() => {}}
      />
    </Rights>,
  )
  const refusal = 'Requires the developer role. Ask an administrator.'
  fireEvent.change(screen.getByLabelText('Name of the input set'), { target: { value: 'mine' } })
  expect(screen.getByRole('button', { name: 'Save inputs' }).title).toBe(refusal)
  fireEvent.change(screen.getByLabelText('Input set'), { target: { value: 's' } })
  expect(used).toEqual(['{"n": 1}'])
  for (const name of ['Replace inputs', 'Delete set']) expect(screen.getByRole('button', { name }).title).toBe(refusal)
})

test('what pasted lines are read as is shown before the start, or which one is wrong', () => {
  const show = (text: string) => {
    cleanup()
    render(
      <InputFields
        {...{ workspace: 'local', past: [], sets: [], problem: undefined }}
        value={{ kind: 'lines', text, chosen: [] }}
        onChange={() => {}}
        onSets={() => {}}
        onSubmit={() => {}}
      />,
    )
    return screen.getByRole('status').textContent
  }
  expect(show('')).toBe('')
  expect(show('"What is 2 * 3?"\n\n{"n": 1}')).toBe('2 inputs. The first: What is 2 * 3?')
  expect(show('{"n": 1}')).toBe('1 input. The first: {"n": 1}')
  expect(show('"one"\n{')).toBe('Line 2 is not JSON.')
})
