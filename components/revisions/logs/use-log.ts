'use client'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { subscribe } from '@/lib/live/client'
import { LogStore } from './log-store'

export type LogOf = {
  workspace: string
  deploymentId: string
  revision: string
  type: 'build' | 'deploy'
  level?: string
  query?: string
}

/** Follows a log over the live channel. Each log and filter has its own store. */
export function useLog({ workspace, deploymentId, revision, type, level, query }: LogOf): LogStore {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store belongs to this log and filter
  const store = useMemo(() => new LogStore({ level, query }), [workspace, deploymentId, revision, type, level, query])
  useEffect(
    () =>
      subscribe(
        { kind: 'logs', workspace, deployment: deploymentId, revision, type, level, query, cursor: 0 },
        { onLines: store.onLines, onError: store.onError },
      ),
    [store, workspace, deploymentId, revision, type, level, query],
  )
  useSyncExternalStore(store.subscribe, store.getVersion, () => 0)
  return store
}
