import { subscribe } from '@/lib/live/client'
import type { LogEntry } from '@/lib/stream/log'
import type { RunFeed } from './run-store'

/** Subscribes to a recording after a cursor; gives the function that ends it. */
export const followRecording = (from: { workspace: string; recording: string; cursor: number }, feed: RunFeed): (() => void) =>
  subscribe(
    { kind: 'recording', ...from },
    {
      onEntries: (entries, { total }) => feed.entries(entries as LogEntry[], total),
      onError: (error) => feed.error(error),
    },
  )
