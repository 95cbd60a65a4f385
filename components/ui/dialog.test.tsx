import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { Dialog } from './dialog'
import { Menu, MenuItem } from './menu'

afterEach(cleanup)

function WithDialog() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add workspace
      </button>
      {isOpen ? (
        <Dialog open onOpenChange={setOpen} title="Add workspace">
          <input aria-label="Name" />
        </Dialog>
      ) : null}
    </>
  )
}

test('a closed dialog gives the focus back to what opened it', async () => {
  render(<WithDialog />)
  const button = screen.getByRole('button', { name: 'Add workspace' })
  button.focus()
  fireEvent.click(button)
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'Name' }), { key: 'Escape' })
  await waitFor(() => expect(document.activeElement).toBe(button))
})

function WithMenu({ isLate }: { isLate: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const show = () => setOpen(true)
  return (
    <>
      <Menu label="More actions" trigger={<button type="button">More actions</button>} defaultOpen>
        <MenuItem onSelect={isLate ? () => void Promise.resolve().then(show) : show}>Share…</MenuItem>
      </Menu>
      {isOpen ? (
        <Dialog open onOpenChange={setOpen} title="Share run">
          <input aria-label="Name" />
        </Dialog>
      ) : null}
    </>
  )
}

test.each([
  ['at once', false],
  ['when the menu is gone', true],
])('a dialog that a menu opened %s gives the focus back to the menu’s button', async (_, isLate) => {
  render(<WithMenu isLate={isLate} />)
  const item = await screen.findByRole('menuitem', { name: 'Share…' })
  item.focus()
  fireEvent.keyDown(item, { key: 'Enter' })
  const dialog = await screen.findByRole('dialog')
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
  fireEvent.keyDown(dialog, { key: 'Escape' })
  const button = await screen.findByRole('button', { name: 'More actions' })
  await waitFor(() => expect(document.activeElement).toBe(button))
})

function InSteps() {
  const [step, setStep] = useState<'form' | 'secret'>()
  return (
    <>
      <button type="button" onClick={() => setStep('form')}>
        Create token
      </button>
      {step === 'form' ? (
        <Dialog open onOpenChange={() => setStep(undefined)} title="New token">
          <button type="button" onClick={() => setStep('secret')}>
            Create
          </button>
        </Dialog>
      ) : null}
      <Dialog open={step === 'secret'} onOpenChange={() => setStep(undefined)} title="Your token">
        <input aria-label="Name" />
      </Dialog>
    </>
  )
}

test('a dialog that took the place of another one gives the focus back to what opened the first', async () => {
  render(<InSteps />)
  const button = screen.getByRole('button', { name: 'Create token' })
  button.focus()
  fireEvent.click(button)
  const create = screen.getByRole('button', { name: 'Create' })
  create.focus()
  fireEvent.click(create)
  const second = await screen.findByRole('dialog', { name: 'Your token' })
  await waitFor(() => expect(second.contains(document.activeElement)).toBe(true))
  fireEvent.keyDown(second, { key: 'Escape' })
  await waitFor(() => expect(document.activeElement).toBe(button))
})

/** A list in a page. The deleted entry goes only after its dialog, when the list has been read again. */
function Entries() {
  const [names, setNames] = useState(['dawn', 'noon', 'dusk'])
  const [asked, setAsked] = useState('')
  const gone = useRef('')
  return (
    <main id="main" tabIndex={-1}>
      <button
        type="button"
        onClick={() => setNames((all) => all.filter((name) => name !== gone.current))}
        aria-label="Read again"
      />
      <ul>
        {names.map((name) => (
          <li key={name}>
            <a href={`#${name}`}>{name}</a>
            <button type="button" onClick={() => setAsked(name)}>
              Delete {name}
            </button>
          </li>
        ))}
      </ul>
      <Dialog open={asked !== ''} onOpenChange={() => setAsked('')} title="Delete it?">
        <button
          type="button"
          onClick={() => {
            gone.current = asked
            setAsked('')
          }}
        >
          Delete for good
        </button>
      </Dialog>
    </main>
  )
}

test('after a deletion, the focus goes to the next row, the one before, and then the page', async () => {
  render(<Entries />)
  const places = [
    ['noon', () => screen.getByRole('link', { name: 'dusk' })],
    ['dusk', () => screen.getByRole('link', { name: 'dawn' })],
    ['dawn', () => screen.getByRole('main')],
  ] as const
  for (const [name, place] of places) {
    const opener = screen.getByRole('button', { name: `Delete ${name}` })
    opener.focus()
    fireEvent.click(opener)
    fireEvent.click(await screen.findByRole('button', { name: 'Delete for good' }))
    await waitFor(() => expect(document.activeElement).toBe(opener))
    fireEvent.click(screen.getByRole('button', { name: 'Read again' }))
    expect(opener.isConnected).toBe(false)
    await waitFor(() => expect(document.activeElement).toBe(place()))
  }
})

test('who has moved on keeps the focus where it is', async () => {
  render(<Entries />)
  const opener = screen.getByRole('button', { name: 'Delete noon' })
  opener.focus()
  fireEvent.click(opener)
  fireEvent.click(await screen.findByRole('button', { name: 'Delete for good' }))
  await waitFor(() => expect(document.activeElement).toBe(opener))
  const other = screen.getByRole('link', { name: 'dawn' })
  other.focus()
  fireEvent.click(screen.getByRole('button', { name: 'Read again' }))
  expect(opener.isConnected).toBe(false)
  expect(document.activeElement).toBe(other)
})

test('a dialog with a form begins in its first field, and one without at its first button', async () => {
  render(
    <Dialog open onOpenChange={() => {}} title="Create listener">
      <form aria-label="New">
        <input type="hidden" />
        <input aria-label="Owner" disabled />
        <input aria-label="Name" />
        <textarea aria-label="Notes" />
      </form>
    </Dialog>,
  )
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' })))
  cleanup()
  render(
    <Dialog open onOpenChange={() => {}} title="Delete listener">
      It cannot be restored.
    </Dialog>,
  )
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Close' })))
})

test('a form in a dialog is sent alone, and not with the form that opened the dialog', () => {
  const [outer, inner] = [vi.fn(), vi.fn()]
  render(
    <form onSubmit={outer}>
      <Dialog open onOpenChange={() => {}} title="Save as template">
        <form aria-label="Name" onSubmit={inner} />
      </Dialog>
    </form>,
  )
  fireEvent.submit(screen.getByRole('form', { name: 'Name' }))
  expect(inner).toHaveBeenCalledOnce()
  expect(outer).not.toHaveBeenCalled()
})
