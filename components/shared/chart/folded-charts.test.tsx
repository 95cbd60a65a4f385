import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { FoldedCharts } from './folded-charts'

afterEach(cleanup)

test('on small screens charts are hidden until they are asked for', () => {
  render(
    <FoldedCharts show="Show chart" hide="Hide chart">
      the chart
    </FoldedCharts>,
  )
  const isFolded = () => screen.getByText('the chart').classList.contains('max-sm:hidden')
  expect(isFolded()).toBe(true)
  fireEvent.click(screen.getByRole('button', { name: 'Show chart' }))
  expect(isFolded()).toBe(false)
  fireEvent.click(screen.getByRole('button', { name: 'Hide chart' }))
  expect(isFolded()).toBe(true)
})
