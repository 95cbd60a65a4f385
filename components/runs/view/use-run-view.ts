'use client'

import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { createRunView } from '@/lib/stream/run-view'
import { browserClock } from './browser-clock'
import { followRecording } from './follow-recording'
import { RunStore } from './run-store'

/** About 100,000 small events: a page left open on an endless run is as large after a million of them. The server has all. */
const BUDGET_BYTES = 25 * 1024 * 1024

/**
 * Follows a recording from its first entry on: whoever comes late or reloads sees all of it. The store is changed in
 * place and renders nothing by itself: what shows a part of it reads it by one of the hooks below.
 */
export function useRunView(workspace: string, recording: string, follow = followRecording): RunStore {
  const [store] = useState(() => new RunStore(browserClock, createRunView({ budgetBytes: BUDGET_BYTES })))
  const turn = useRunValue(store, turnOf)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn follows anew, from what the view has
  useEffect(
    () => follow({ workspace, recording, cursor: store.view.seq }, store.feed),
    [follow, workspace, recording, store, turn],
  )
  return store
}

const turnOf = (store: RunStore) => store.turn

/** Draws the component anew with each published version, at most once per animation frame. */
export const useRunVersion = (store: RunStore): number =>
  useSyncExternalStore(store.subscribe, store.getVersion, store.getVersion)

/** One plain value of the store; the component is drawn anew only when that value changes. */
export function useRunValue<T extends string | number | boolean | null | undefined>(
  store: RunStore,
  read: (store: RunStore) => T,
): T {
  const get = useCallback(() => read(store), [store, read])
  return useSyncExternalStore(store.subscribe, get, get)
}
