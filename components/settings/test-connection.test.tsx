import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { TestConnection } from './test-connection'

Element.prototype.scrollIntoView ??= () => {}
afterEach(cleanup)

test('shows what responded, until a field changes', async () => {
  const ask = vi.fn(async (form: FormData) => ({ ok: true as const, data: String(form.get('url')) }))
  render(
    <form>
      <input aria-label="URL" name="url" defaultValue="http://one" />
      <TestConnection test={ask} say={(url) => `Connection works. ${url}`} />
    </form>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Test connection' }))
  expect(await screen.findByText('Connection works. http://one')).toBeTruthy()
  fireEvent.input(screen.getByLabelText('URL'), { target: { value: 'http://two' } })
  expect(screen.queryByText(/Connection works/)).toBeNull()
})

test('when the console does not respond, nothing was saved', async () => {
  render(<TestConnection test={() => Promise.reject(new TypeError('Failed to fetch'))} say={String} />)
  fireEvent.click(screen.getByRole('button', { name: 'Test connection' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Nothing was saved')
})
