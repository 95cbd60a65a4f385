'use client'

import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { subscribe } from '@/lib/live/client'
import { createRunView } from '@/lib/stream/run-view'
import { browserClock } from './browser-clock'
import { type RunFeed, RunStore } from './run-store'

/** About 100,000 small events, so that a page left open on an endless run stops growing. The server has all events. */
const BUDGET_BYTES = 25 * 1024 * 1024

/**
 * Follows a recording from its first entry, or none if its id is empty. The store is mutated in place and triggers no render
 * itself; components read it with the hooks below.
 */
export function useRunView(workspace: string, recording: string, follow = followRecording): RunStore {
  const [held, hold] = useState(() => ({ recording, store: newStore() }))
  const isOther = held.recording !== recording
  const now = isOther ? { recording, store: newStore() } : held
  if (isOther) hold(now)
  const { store } = now
  const turn = useRunValue(store, turnOf)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn subscribes again from the view's last entry
  useEffect(
    () => (recording ? follow({ workspace, recording, cursor: store.view.seq }, store.feed) : undefined),
    [follow, workspace, recording, store, turn],
  )
  return store
}

const newStore = () => new RunStore(browserClock, createRunView({ budgetBytes: BUDGET_BYTES }))

const turnOf = (store: RunStore) => store.turn

/** Renders the component with each published version, at most once per animation frame. */
export const useRunVersion = (store: RunStore): number =>
  useSyncExternalStore(store.subscribe, store.getVersion, store.getVersion)

/** One primitive value of the store; the component renders only when that value changes. */
export function useRunValue<T extends string | number | boolean | null | undefined>(
  store: RunStore,
  read: (store: RunStore) => T,
): T {
  const get = useCallback(() => read(store), [store, read])
  return useSyncExternalStore(store.subscribe, get, get)
}

/** Subscribes to a recording after a cursor. Returns the unsubscribe function. */
export const followRecording = (
  from: { workspace: string; recording: string; cursor: number },
  feed: RunFeed,
): (() => void) => subscribe({ kind: 'recording', ...from }, { onEntries: feed.entries, onError: feed.error })
