import { act, cleanup, render } from '@testing-library/react'
import { useLayoutEffect, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Checkbox } from './checkbox'
import { Input, Select, Textarea } from './input'
import { reportChosen } from './report-typed'

afterEach(cleanup)
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })) // the field waits for events of now
afterEach(() => void vi.useRealTimers())

test.each([
  ['b chosen before the code comes', 'b', false, [['b']]],
  ['b being chosen as the code comes', 'b', true, [['b']]],
  ['nothing chosen', 'a', false, []],
])('a server-rendered select reports changes correctly with %s', async (_, chosen, isNow, calls) => {
  const onChange = vi.fn()
  const field = (
    <Select aria-label="Letter" value="a" onChange={({ target }) => onChange(target.value)}>
      <option>a</option>
      <option>b</option>
    </Select>
  )
  const page = document.body.appendChild(document.createElement('div'))
  page.innerHTML = renderToString(field)
  const select = page.querySelector('select') as HTMLSelectElement
  select.value = chosen
  await act(async () => void hydrateRoot(page, field))
  // The browser reports a choice by `input`, when React reads the current value, and then by `change`.
  if (isNow) act(() => void select.dispatchEvent(new Event('change', { bubbles: true })))
  act(() => void vi.runAllTimers())
  expect(onChange.mock.calls).toEqual(calls)
  page.remove()
})

function RedrawnForm({ initial, onChange }: { initial: string; onChange: (value: string) => void }) {
  const [hasCome, setHasCome] = useState(false)
  useLayoutEffect(() => setHasCome(true), [])
  return (
    <Select
      aria-label={hasCome ? 'Letter' : ''}
      value={initial}
      onChange={({ target }) => onChange(target.value)} // a new one each time, so React draws the field again
    >
      <option>a</option>
      <option>b</option>
    </Select>
  )
}

test('a choice made early is reported where the form draws itself again at once', async () => {
  const onChange = vi.fn()
  const form = <RedrawnForm initial="a" onChange={onChange} />
  const page = document.body.appendChild(document.createElement('div'))
  page.innerHTML = renderToString(form)
  const select = page.querySelector('select') as HTMLSelectElement
  select.value = 'b'
  await act(async () => void hydrateRoot(page, form))
  act(() => void vi.runAllTimers())
  expect(onChange.mock.calls).toEqual([['b']])
  page.remove()
})

test.each(['a', 'b', 'gone'])('a list that the browser draws with %o reports nothing', (initial) => {
  const onChange = vi.fn()
  render(<RedrawnForm initial={initial} onChange={onChange} />)
  act(() => void vi.runAllTimers())
  expect(onChange).not.toHaveBeenCalled()
})

test.each([
  ['an input', Input],
  ['a text area', Textarea],
])('%s reports what was typed before the code comes, once, and keeps it', async (_, Field) => {
  const typed: string[] = []
  function Form() {
    const [text, setText] = useState('')
    return (
      <Field
        aria-label={`Field ${text.length}`}
        value={text}
        onChange={({ target }) => {
          typed.push(target.value)
          setText(target.value)
        }}
      />
    )
  }
  const page = document.body.appendChild(document.createElement('div'))
  page.innerHTML = renderToString(<Form />)
  const field = page.firstElementChild as HTMLInputElement
  field.value = 'Hello'
  field.setSelectionRange(2, 3)
  await act(async () => void hydrateRoot(page, <Form />))
  expect(field.isConnected).toBe(true)
  expect(typed).toEqual(['Hello'])
  expect([field.value, field.selectionStart, field.selectionEnd]).toEqual(['Hello', 2, 3])
  expect(field.getAttribute('aria-label')).toBe('Field 5')
  act(() => void field.dispatchEvent(new Event('input', { bubbles: true })))
  expect(typed).toEqual(['Hello'])
  page.remove()
})

test('a text that the browser writes differently is not reported as typed', () => {
  const onChange = vi.fn()
  render(<Textarea aria-label="Text" value={'a\r\nb'} onChange={onChange} />)
  expect(onChange).not.toHaveBeenCalled()
})

function Choices({ report }: { report: (chosen: string) => void }) {
  const [isOn, setOn] = useState(false)
  const [letter, setLetter] = useState('a')
  return (
    <>
      <Checkbox
        label="On"
        checked={isOn}
        onChange={({ target }) => {
          report(`on ${target.checked}`)
          setOn(target.checked)
        }}
      />
      {['a', 'b'].map((one) => (
        <input
          key={one}
          ref={reportChosen}
          type="radio"
          name="letter"
          aria-label={one}
          checked={letter === one}
          onChange={() => {
            report(one)
            setLetter(one)
          }}
        />
      ))}
      <output>{`${isOn} ${letter}`}</output>
    </>
  )
}

test('boxes and radio buttons report what was chosen before the code comes, once, and keep it', async () => {
  const reported: string[] = []
  const form = <Choices report={(chosen) => reported.push(chosen)} />
  const page = document.body.appendChild(document.createElement('div'))
  page.innerHTML = renderToString(form)
  const fields = [...page.querySelectorAll('input')]
  for (const index of [0, 2]) (fields[index] as HTMLInputElement).checked = true
  await act(async () => void hydrateRoot(page, form))
  expect(reported).toEqual(['on true', 'b'])
  expect(fields.map(({ checked }) => checked)).toEqual([true, false, true])
  expect(page.querySelector('output')?.textContent).toBe('true b')
  page.remove()
})
