import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { ScheduleWords } from './schedule-words'

afterEach(cleanup)

test('a schedule is shown in words as it is typed, and nothing where it is not understood', async () => {
  const { rerender, container } = render(<ScheduleWords schedule="*/5 * * * *" />)
  expect(await screen.findByText('Every 5 minutes')).toBeDefined()
  rerender(<ScheduleWords schedule="*/5 * * *" />)
  expect(container.textContent).toBe('')
  rerender(<ScheduleWords schedule="0 9 * * 1-5" />)
  expect(await screen.findByText('At 09:00, Monday through Friday')).toBeDefined()
})
