import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Dialog } from './dialog'

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
