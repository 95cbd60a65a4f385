'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue, useRunView } from '@/components/runs/view/use-run-view'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { operationKey } from '@/lib/queries/api-query'
import type { RecordingSummary } from '@/lib/stream/log'
import { threadRecordingsQuery } from './chat-queries'

/** What changes on the server with each run of a thread. */
const CHANGED = [
  agentServer.getThreadState,
  agentServer.searchThreads,
  agentServer.searchThreadHistory,
  agentServer.listRuns,
]

/**
 * The recorded runs of a thread, oldest first, and the one to show: the first that has not ended, else the newest. Runs that
 * wait for it follow in their order. `started`: those that this page started.
 */
export function useTurns(place: DeploymentPlace, thread: string | undefined, started: readonly RecordingSummary[]) {
  const client = useQueryClient()
  const found = useQuery({
    ...threadRecordingsQuery({ ...place, thread: thread ?? '' }),
    enabled: thread !== undefined,
  })
  /** When this page saw a run end. */
  const [ended, setEnded] = useState<ReadonlyMap<string, number>>(new Map())
  const turns = turnsOf(found.data ?? [], started)
  const isOpen = (one: RecordingSummary) => one.phase !== 'ended' && !ended.has(one.id)
  const current = turns.find(isOpen) ?? turns.at(-1)
  const isActive = current !== undefined && isOpen(current)
  const store = useRunView(place.workspace, current?.id ?? '')
  const isOver = useRunValue(store, hasEnded)
  const id = current?.id
  const hasBegun = useRunValue(store, hasState)
  useEffect(() => {
    // A new thread is listed while its first run goes on, not only at the end.
    if (isActive && hasBegun)
      void client.invalidateQueries({ queryKey: operationKey(agentServer.searchThreads, place.workspace) })
  }, [client, isActive, hasBegun, place.workspace])
  useEffect(() => {
    if (!isOver || !id) return
    setEnded((now) => (now.has(id) ? now : new Map([...now, [id, Date.now()]])))
    for (const op of CHANGED) void client.invalidateQueries({ queryKey: operationKey(op, place.workspace) })
  }, [client, isOver, id, place.workspace])
  /** Whether it is known which runs were recorded, and how the one to show has ended. */
  const isRead = found.data !== undefined && (current === undefined || isOver)
  const waiting = turns.filter((one) => isOpen(one) && one !== current)
  return { turns, current, waiting, isActive, isRead, store, ended }
}

const hasEnded = ({ view }: RunStore) => view.final !== undefined
const hasState = ({ view }: RunStore) => view.values.has('')

/** Oldest first, each once; what the server says of a run is newer than what its start returned. */
export function turnsOf(found: readonly RecordingSummary[], started: readonly RecordingSummary[]): RecordingSummary[] {
  const byId = new Map([...started, ...found].map((one) => [one.id, one]))
  return [...byId.values()].sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
}
