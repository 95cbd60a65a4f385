'use client'
import { useEffect, useState } from 'react'
import type { LiveError } from '@/lib/errors'
import { subscribe } from '@/lib/live/client'
import type { Inbox } from '@/lib/stream/inbox'

type Reading = { workspace: string; inbox?: Inbox; at?: number; problem?: LiveError }

/** The waiting threads of the workspace, from the server's shared poller. `problem` is why live updates have stopped. */
export function useInbox(workspace: string): Omit<Reading, 'workspace'> {
  const [reading, setReading] = useState<Reading>({ workspace })
  useEffect(
    () =>
      subscribe(
        { kind: 'inbox', workspace },
        {
          // From our own server; the live channel is untyped.
          onValue: (value, at) => setReading({ workspace, inbox: value as Inbox, at }),
          onError: (problem) =>
            setReading((now) => ({ ...(now.workspace === workspace ? now : { workspace }), problem })),
        },
      ),
    [workspace],
  )
  return reading.workspace === workspace ? reading : {}
}
