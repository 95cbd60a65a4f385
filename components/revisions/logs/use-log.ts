'use client'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { subscribe } from '@/lib/live/client'
import { LogStore } from './log-store'

export type LogOf = {
  workspace: string
  deploymentId: string
  /** Absent for the lines of all revisions. */
  revision?: string
  type: 'build' | 'deploy'
  from?: string
  to?: string
  level?: string
  query?: string
}

/** Follows a log over the live channel. Each log and filter has its own store. */
export function useLog(of: LogOf): LogStore {
  const { workspace, deploymentId: deployment, revision, type, from, to, level, query } = of
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store belongs to this log and filter
  const store = useMemo(
    () => new LogStore({ level, query, from, to }),
    [workspace, deployment, revision, type, from, to, level, query],
  )
  useEffect(
    () =>
      subscribe(
        { kind: 'logs', workspace, deployment, revision, type, from, to, level, query, cursor: 0 },
        { onLines: store.onLines, onError: store.onError },
      ),
    [store, workspace, deployment, revision, type, from, to, level, query],
  )
  useSyncExternalStore(store.subscribe, store.getVersion, () => 0)
  return store
}
