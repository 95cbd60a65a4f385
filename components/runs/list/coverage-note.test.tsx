import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Looked } from '@/lib/contracts/agents/run-row'
import { CoverageNote, UnreadServers } from './coverage-note'

afterEach(cleanup)

const looked: Looked = {
  ...{ threads: 0, deployments: 0, isBusyOnly: true, isPartial: true, isPending: false },
  problems: [{ deployment: '', message: 'The control plane cannot be reached.' }],
}
const show = (more: Partial<Looked>, isReasonAbove = false) =>
  render(
    <>
      <UnreadServers
        looked={{ ...looked, ...more }}
        nameOf={(id) => id}
        onRetry={() => {}}
        isReasonAbove={isReasonAbove}
      />
      <CoverageNote looked={{ ...looked, ...more }} />
    </>,
  )

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

test('where there is no deployment to open, none is offered', () => {
  const says = (more: Partial<Looked>) => {
    const text = show({ problems: [], ...more }).container.textContent
    cleanup()
    return text
  }
  const none = 'No deployment has an agent server yet.'
  expect(says({})?.trim()).toBe(none)
  expect(says({ traced: { deployments: 0, isPartial: false } })?.trim()).toBe(none)
  expect(says({ deployments: 1 })).toContain('Open a deployment to list more of its runs.')
})

test('runs of a server that fails now are said to be from an earlier time, and not to be missing', () => {
  const keptAt = Date.now() - 90_000
  show({ threads: 1, deployments: 1, problems: [{ deployment: 'd', message: 'It cannot be reached.', keptAt }] })
  expect(screen.queryByText(/are missing:$/)?.textContent).toBe(
    'Some runs started elsewhere may have changed, and newer ones are missing:',
  )
  expect(screen.queryByText(/^Includes/)).toBeNull()
  expect(screen.getByRole('listitem').textContent).toMatch(
    /^d: It cannot be reached\. Its runs were read at .+ \(1 min\. ago\)\.$/,
  )
})
