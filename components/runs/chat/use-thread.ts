'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Thread } from '@/lib/contracts/agents/threads'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { subscribe } from '@/lib/live/client'
import { operationKey } from '@/lib/queries/api-query'
import { lightThreadQuery, threadQuery } from '@/lib/queries/threads'

export type LightThread = Pick<Thread, 'thread_id' | 'status' | 'created_at' | 'updated_at' | 'metadata'>

/** The thread, live. Its state is read again when it changes, unless the page follows the run that changes it. */
export function useThread(
  { workspace, deploymentId }: DeploymentPlace,
  thread: string | undefined,
  isFollowed: boolean,
) {
  const client = useQueryClient()
  const [live, setLive] = useState<LightThread>()
  const follows = useRef(isFollowed)
  follows.current = isFollowed
  const isKnown = thread !== undefined
  const light = useQuery({
    ...lightThreadQuery({ workspace, deploymentId, thread: thread ?? '' }),
    enabled: isKnown,
  })
  const found = light.data?.find((one) => one.thread_id === thread)
  // The search found nothing: the server cannot search by id, or there is no such thread. Reading the thread itself
  // tells which.
  const whole = useQuery({
    ...threadQuery(workspace, deploymentId, thread ?? ''),
    enabled: isKnown && !found && !live && (light.isError || (light.isSuccess && !light.isPlaceholderData)),
    retry: false,
  })

  useEffect(() => {
    if (!thread) return
    const versionOf = ({ status, updated_at }: LightThread) => `${status} ${updated_at}`
    let last: string | undefined
    return subscribe(
      { kind: 'thread', workspace, deployment: deploymentId, thread },
      {
        onValue: (value) => {
          const next = value as LightThread // the server parsed it with the row's schema
          const version = versionOf(next)
          // The thread may have changed after the page was read and before the first value.
          const { queryKey } = lightThreadQuery({ workspace, deploymentId, thread })
          const read = client.getQueryData<LightThread[]>(queryKey)?.find((one) => one.thread_id === thread)
          last ??= read && versionOf(read)
          setLive(next)
          // Does not cancel a running read: a large state that changes often would never finish loading.
          if (last !== undefined && last !== version && !follows.current)
            for (const op of [agentServer.getThreadState, agentServer.searchThreadHistory, agentServer.listRuns])
              void client.invalidateQueries({ queryKey: operationKey(op, workspace) }, { cancelRefetch: false })
          last = version
        },
      },
    )
  }, [client, workspace, deploymentId, thread])

  const read = found ?? whole.data
  // The list is read as soon as a run ends, which the live value tells a little later.
  const isNewer = (read?.updated_at ?? '') > (live?.updated_at ?? '')
  const data = live?.thread_id === thread && !isNewer ? live : read
  /** Whether a run is active. What is shown may be a little old, so the server is asked again. */
  const isBusy = async (): Promise<boolean> => {
    if (!thread || data?.status !== 'busy') return false
    const query = lightThreadQuery({ workspace, deploymentId, thread })
    const threads = await client.fetchQuery({ ...query, staleTime: 0, retry: false }).catch(() => [])
    return (threads.find((one) => one.thread_id === thread) ?? data).status === 'busy'
  }
  return { data, isBusy, error: data ? undefined : whole.error?.view }
}

/** The assistant or graph that last ran on the thread. */
export const assistantOf = (thread: LightThread | undefined): string | undefined => {
  const { assistant_id: assistant, graph_id: graph } = thread?.metadata ?? {}
  return typeof assistant === 'string' ? assistant : typeof graph === 'string' ? graph : undefined
}
