import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { browserClock } from '@/components/runs/view/browser-clock'
import { RunStore } from '@/components/runs/view/run-store'
import type { RecordingSummary } from '@/lib/stream/log'
import { createRunView } from '@/lib/stream/run-view'
import { OpenLens } from './run-lenses'

afterEach(cleanup)

test('a recording that cannot be read is not said to load', async () => {
  const store = new RunStore(browserClock, createRunView())
  render(<OpenLens lens="transcript" store={store} summary={{} as RecordingSummary} />)
  expect(screen.getByText('Loading recording…')).toBeDefined()
  store.feed.error({ code: 'internal', message: 'The object storage does not answer.' })
  expect(await screen.findByText('Nothing of the recording has been read yet.')).toBeDefined()
  expect(screen.queryByText('Loading recording…')).toBeNull()
})
