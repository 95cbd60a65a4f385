import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { WorkspaceThreads } from '@/lib/stream/thread-rows'
import { Coverage } from './all-threads'

afterEach(cleanup)

const read: WorkspaceThreads = {
  ...{ rows: [], hasNext: true, threads: 162, deployments: 3, isCut: true },
  ...{ pending: [], untitled: [], problems: [] },
}
const show = (more: Partial<WorkspaceThreads>, depth?: number) => {
  const onDepth = vi.fn()
  render(<Coverage of={{ ...read, ...more }} depth={depth} onDepth={onDepth} />)
  return onDepth
}

test('a list that has not read all threads says where the others are', () => {
  show({})
  expect(
    screen.getByText(/Read 162 threads of 3 deployments, the newest of each. The next pages read more./),
  ).toBeTruthy()
  cleanup()
  show({ isCut: false })
  expect(screen.getByText('Read 162 threads of 3 deployments.')).toBeTruthy()
})

test('a search offers to search more threads, once', () => {
  const onDepth = show({}, 100)
  expect(
    screen.getByText(/Searched the messages of 162 threads .* the newest 100 of each. There are more./),
  ).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Search 300 of each' }))
  expect(onDepth).toHaveBeenCalledWith('300')
  cleanup()
  show({}, 300)
  expect(screen.queryByRole('button')).toBeNull()
})

test('threads of a server that fails now are not said to be all that were read', () => {
  const problem = { deployment: 'd', name: 'harbour', message: 'It cannot be reached.', keptAt: Date.now() - 90_000 }
  show({ threads: 0, deployments: 0, isCut: false, problems: [problem] })
  expect(screen.queryByText(/^Read/)).toBeNull()
})
