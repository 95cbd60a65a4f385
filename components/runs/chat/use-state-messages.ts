'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { count } from '@/lib/format/format'
import type { LargeJson } from '@/lib/json/large-json'
import { parseJson } from '@/lib/json/lossless'
import { threadStateQuery } from '@/lib/queries/thread-states'
import type { RunMessage } from '@/lib/stream/messages'
import { stateMessages } from './conversation-messages'

/** Of a large state, only the newest messages that fit into this many bytes are read. */
const MOST_READ = 1_500_000

type Read = { messages: readonly RunMessage[]; note?: string; problem?: string }

/** The messages of a thread's state. `isPending` until they are known. */
export function useStateMessages({ workspace, deploymentId }: DeploymentPlace, thread: string | undefined) {
  const state = useQuery({
    ...threadStateQuery(workspace, deploymentId, thread ?? ''),
    enabled: thread !== undefined,
  })
  const { data } = state
  const small = useMemo(
    (): Read | undefined => (data && !data.large ? { messages: stateMessages(data.values) } : undefined),
    [data],
  )
  const large = useLarge(data?.large)
  const read = small ?? large
  const error: ErrorView | undefined =
    state.error && !data
      ? state.error.view
      : read?.problem
        ? { code: 'internal', message: read.problem, fields: [], requestId: '' }
        : undefined
  return {
    state,
    messages: read?.messages ?? NONE,
    note: read?.note,
    error,
    isPending: thread !== undefined && !read && !error,
  }
}

const NONE: readonly RunMessage[] = []

function useLarge(large: LargeJson | undefined): Read | undefined {
  const [found, setFound] = useState<Read & { of: LargeJson }>()
  useEffect(() => {
    if (!large) return
    let isGone = false
    void large.whole
      .then(() => large.newest('messages', MOST_READ))
      .then(
        ({ text, count: shown, of }): Read => ({
          messages: stateMessages({ messages: parseJson(text) }),
          ...(shown < of && { note: `The newest ${count(shown)} of ${count(of)} messages. See all under State.` }),
        }),
        (error: Error): Read => ({ messages: NONE, problem: error.message }),
      )
      .then((read) => {
        if (!isGone) setFound({ ...read, of: large })
      })
    return () => {
      isGone = true
    }
  }, [large])
  return found && found.of === large ? found : undefined
}
