import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { EditorView } from '@uiw/react-codemirror'
import { useState } from 'react'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createRequest } from './create-request'
import { type CreateValues, type Issues, NO_VALUES } from './create-values'
import type { Refusal } from './resource-spec/refusals'
import { ResourcesSection } from './resources-section'

beforeAll(async () => {
  // Loaded before the clock of a test runs.
  await Promise.all([import('./resource-spec/spec-editor'), import('./resource-spec/text-view')])
})
afterEach(cleanup)

const IMAGE: CreateValues = { ...NO_VALUES, name: 'agent', source: 'external_docker', image: 'example/agent:1' }
let values: CreateValues
/** What "Review" would do now. */
const request = () => createRequest(values, [], { isRequired: false, takesNamespace: false })
const sent = () => {
  const made = request()
  return made.ok ? made.body.source_config : made.issues
}

type FormProps = { source: CreateValues['source']; issues: Issues; refusals: readonly Refusal[] }
function Form({ source, ...rest }: FormProps) {
  const [typed, setTyped] = useState(IMAGE)
  values = { ...typed, source }
  const change = (part: Partial<CreateValues>) => setTyped((now) => ({ ...now, ...part }))
  return <ResourcesSection values={values} change={change} isReadOnly={false} {...rest} />
}
function show() {
  const form = (props: Partial<FormProps>) => <Form source="external_docker" issues={{}} refusals={[]} {...props} />
  const { rerender } = render(form({}))
  return (props: Partial<FormProps>) => rerender(form(props))
}
async function open() {
  fireEvent.click(screen.getByText('Set resources', { selector: 'button' }))
  await screen.findByLabelText('CPU cpu')
}
/** By label, because roles of so many fields take seconds to find. */
const field = (name: string) => screen.getByLabelText(name)
const isHidden = (one: HTMLElement) => one.closest('[hidden]') !== null
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } })
/** Radix selects a tab when the button goes down. */
const choose = (name: string) => fireEvent.mouseDown(screen.getByText(name, { selector: '[role=tab]' }), { button: 0 })

test('the resources of an image are set in fields that show the value in effect, and sent', async () => {
  show()
  expect(screen.queryByRole('tab')).toBeNull()
  expect(sent()).toEqual({})
  await open()
  type('CPU cpu', '2')
  const server = within(screen.getByLabelText('Agent server'))
  expect(server.getByText('4 cores')).toBeDefined()
  expect(server.getByText(/2 × cpu/)).toBeDefined()
  expect(screen.getByText(/1 field is set/)).toBeDefined()
  expect(sent()).toEqual({ resource_spec: { cpu: 2 } })
  type('CPU cpu', '')
  expect(sent()).toEqual({})
})

test('a value out of range is said at its field and refused', async () => {
  show()
  await open()
  type('CPU cpu', '99')
  expect(field('CPU cpu').getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByLabelText('Errors').textContent).toContain('cpu At most 8')
  expect(sent()).toEqual({ resourceSpec: 'cpu: At most 8' })
  type('CPU cpu', '1')
  expect(screen.queryByLabelText('Errors')).toBeNull()
  expect(sent()).toEqual({ resource_spec: { cpu: 1 } })
})

test('the draft can be written as JSON; text that is not valid is refused and outlives another choice of source', async () => {
  const become = show()
  await open()
  type('CPU cpu', '2')
  choose('JSON')
  const text = await screen.findByLabelText('Resource spec as JSON')
  expect(text.textContent).toContain('"cpu": 2')
  const write = (insert: string) => {
    const view = EditorView.findFromDOM(text)
    act(() => view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }))
  }
  write('{"cpu": 3')
  expect(sent()).toEqual({ resourceSpec: expect.stringContaining('The text is not valid: line 1') })
  choose('Form')
  expect(await screen.findByText(/The text is not valid: line 1, column \d+\. Fix it first\./)).toBeDefined()
  become({ source: 'github' })
  expect(isHidden(screen.getByLabelText('Resources'))).toBe(true)
  become({})
  expect(screen.getByLabelText('Resource spec as JSON').textContent).toContain('{"cpu": 3')
  write('{"cpu": 3, "labels": {"team": "a"}}')
  expect(sent()).toEqual({ resource_spec: { cpu: 3, labels: { team: 'a' } } })
  choose('Form')
  expect((await screen.findByLabelText<HTMLInputElement>('Key 1 of Labels')).value).toBe('team')
})

test('what the server rejected opens the editor and stays at its field until that is changed', async () => {
  const become = show()
  await open()
  type('Memory memory_mb', '512')
  fireEvent.click(screen.getByText('Set resources', { selector: 'button' }))
  expect(isHidden(field('CPU cpu'))).toBe(true)
  const refusals = [{ path: ['memory_mb'], message: 'Too small for this cluster', value: 512 }]
  become({ refusals, issues: { resourceSpec: 'memory_mb: Too small for this cluster' } })
  expect(document.querySelector('[role=alert]')?.textContent).toBe('memory_mb: Too small for this cluster')
  expect(isHidden(field('Memory memory_mb'))).toBe(false)
  expect(field('Memory memory_mb').getAttribute('aria-invalid')).toBe('true')
  become({ refusals })
  type('Memory memory_mb', '1024')
  expect(field('Memory memory_mb').getAttribute('aria-invalid')).toBeNull()
})
