import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import type { RunFeed, RunStore } from './run-store'
import { type followRecording, useRunValue, useRunVersion, useRunView } from './use-run-view'

vi.mock('@/lib/live/client', () => ({ subscribe: vi.fn() }))

let frames: FrameRequestCallback[] = []
beforeEach(() => {
  frames = []
  vi.spyOn(performance, 'now').mockReturnValue(0) // repaints are fast enough not to delay the next one
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => frames.push(callback))
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const turn = () => act(() => new Promise((resolve) => setTimeout(resolve, 5)))
const frame = () =>
  act(() => {
    for (const callback of frames.splice(0)) callback(0)
  })

const token = (seq: number, text: string): LogEntry => ({
  seq,
  at: seq,
  kind: 'event',
  event: 'messages',
  data: JSON.stringify([{ type: 'AIMessageChunk', id: 'm', content: text }, { langgraph_node: 'agent' }]),
})

type Drawn = { live: number; outer: number }
const phaseOf = (store: RunStore) => store.view.phase

function Live({ store, drawn }: { store: RunStore; drawn: Drawn }) {
  useRunVersion(store)
  drawn.live++
  const [message] = store.view.transcript.messages
  return <p>{message?.parts.map((part) => ('text' in part ? part.text : '')).join('')}</p>
}

function Page({ follow, drawn }: { follow: typeof followRecording; drawn: Drawn }) {
  const store = useRunView('w', 'r', follow)
  drawn.outer++
  return (
    <>
      <h1>{useRunValue(store, phaseOf)}</h1>
      <Live store={store} drawn={drawn} />
    </>
  )
}

function setUp() {
  let feed: RunFeed | undefined
  const from: unknown[] = []
  const end = vi.fn()
  const follow: typeof followRecording = (place, given) => {
    from.push(place)
    feed = given
    return end
  }
  const drawn = { live: 0, outer: 0 }
  const page = render(<Page follow={follow} drawn={drawn} />)
  return { page, from, end, drawn, feed: () => feed as RunFeed } // set by an effect of the page
}

test('a burst of tokens renders once, at the next frame, and only where it is shown', async () => {
  const { drawn, feed, from } = setUp()
  expect(from).toEqual([{ workspace: 'w', recording: 'r', cursor: 0 }])
  const before = { ...drawn }
  for (let block = 0; block < 100; block++)
    feed().entries(
      Array.from({ length: 10 }, (_, index) => token(block * 10 + index + 1, 'x')),
      { total: 1_000, phase: 'live' },
    )
  await turn()
  expect(drawn).toEqual(before)
  expect(frames).toHaveLength(1)
  frame()
  expect(drawn.live).toBe(before.live + 1)
  expect(screen.getByText('x'.repeat(1_000))).toBeTruthy()

  const after = drawn.outer
  feed().entries([token(1_001, 'y')], { total: 1_001, phase: 'live' })
  await turn()
  frame()
  expect(screen.getByText(`${'x'.repeat(1_000)}y`)).toBeTruthy()
  // The phase has not changed, so components that show only the phase do not render.
  expect(drawn.outer).toBe(after)
})

test('leaving the page ends the subscription', () => {
  const { page, end } = setUp()
  page.unmount()
  expect(end).toHaveBeenCalledOnce()
})
