import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Shortcuts } from './shortcuts'

afterEach(cleanup)

/** What the table says of the keys that begin with G, by letter. */
function sectionsOf(role: 'developer' | 'admin', limitedTo?: number) {
  cleanup()
  render(<Shortcuts current={{ slug: 'local', role, limitedTo }} help="/docs" onClose={() => undefined} />)
  const rows = screen.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent))
  return Object.fromEntries(rows.flatMap(([keys, what]) => (/^G.$/.test(keys ?? '') ? [[keys?.[1], what]] : [])))
}

test('each section that someone may open has a row with its key', () => {
  expect(sectionsOf('admin')).toMatchObject({ H: 'Home', R: 'Runs', A: 'Audit' })
  expect(Object.values(sectionsOf('developer', 1))).toEqual([
    ...['Home', 'Deployments', 'Runs', 'Threads', 'Traces', 'Inbox', 'Settings'],
  ])
})
