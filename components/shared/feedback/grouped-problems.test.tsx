import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { GroupedProblems } from './grouped-problems'

afterEach(cleanup)

test('deployments that fail for the same reason share a line, whatever their address', () => {
  const down = (n: number) => ({
    deployment: `d${n}`,
    name: `Agent ${n}`,
    message: `The agent server at http://10.0.0.${n}:80/x cannot be reached (connection refused).`,
  })
  const refused = {
    deployment: 'k',
    name: 'Keyed',
    message: 'The agent server refused the key.',
    detail: 'Not read yet.',
  }
  render(
    <ul>
      <GroupedProblems problems={[...Array.from({ length: 32 }, (_, n) => down(n)), refused]} />
    </ul>,
  )
  expect(screen.getByText('32 deployments: The agent server cannot be reached (connection refused).')).toBeTruthy()
  expect(screen.getByText('Agent 7:')).toBeTruthy()
  expect(screen.getByText('Keyed:').parentElement?.textContent).toBe(
    'Keyed: The agent server refused the key. Not read yet.',
  )
})

test('the servers of one deployment that fail alike are one problem, and not two deployments', () => {
  const message = 'The control plane cannot be reached.'
  const problems = ['d', ''].map((deployment) => ({ deployment, name: '', message }))
  render(
    <ul>
      <GroupedProblems problems={problems} />
    </ul>,
  )
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent?.trim())).toEqual([message])
})
