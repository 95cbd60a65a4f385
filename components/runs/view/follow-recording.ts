import { subscribe } from '@/lib/live/client'
import type { RunFeed } from './run-store'

/** Subscribes to a recording after a cursor; gives the function that ends it. */
export const followRecording = (
  from: { workspace: string; recording: string; cursor: number },
  feed: RunFeed,
): (() => void) => subscribe({ kind: 'recording', ...from }, { onEntries: feed.entries, onError: feed.error })
