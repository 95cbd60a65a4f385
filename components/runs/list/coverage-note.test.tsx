import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Looked } from '@/lib/contracts/agents/run-row'
import { CoverageNote } from './coverage-note'

afterEach(cleanup)

const looked: Looked = {
  ...{ threads: 0, deployments: 0, isBusyOnly: true, isPartial: true, isPending: false },
  problems: [{ deployment: '', message: 'The control plane cannot be reached.' }],
}
const show = (more: Partial<Looked>, isReasonAbove = false) =>
  render(<CoverageNote looked={{ ...looked, ...more }} nameOf={(id) => id} isReasonAbove={isReasonAbove} />)

test('why a whole workspace could not be read is said, unless the page says it already', () => {
  show({})
  expect(screen.getByText('The control plane cannot be reached.')).toBeTruthy()
  cleanup()
  show({}, true)
  expect(screen.getByText('Some runs started elsewhere are missing.')).toBeTruthy()
  expect(screen.queryByText('The control plane cannot be reached.')).toBeNull()
  cleanup()
  show({ problems: [...looked.problems, { deployment: 'd', message: 'No answer yet.' }] }, true)
  expect(screen.getByText('Some runs started elsewhere are missing:')).toBeTruthy()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['d: No answer yet. '])
})
