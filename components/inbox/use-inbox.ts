'use client'
import { useEffect, useState } from 'react'
import { subscribe } from '@/lib/live/client'
import type { Inbox } from '@/lib/stream/inbox'

type Reading = { workspace: string; inbox?: Inbox; at?: number; problem?: string }

/** What waits in the workspace, as the server's one look sees it; `problem` is why it gets no newer. */
export function useInbox(workspace: string): Omit<Reading, 'workspace'> {
  const [reading, setReading] = useState<Reading>({ workspace })
  useEffect(
    () =>
      subscribe(
        { kind: 'inbox', workspace },
        {
          // The server made it; its type is lost on the way.
          onValue: (value, at) => setReading({ workspace, inbox: value as Inbox, at }),
          onError: ({ message }) =>
            setReading((now) => ({ ...(now.workspace === workspace ? now : { workspace }), problem: message })),
        },
      ),
    [workspace],
  )
  return reading.workspace === workspace ? reading : {}
}
