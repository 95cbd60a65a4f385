'use client'

import { useEffect, useState, useSyncExternalStore } from 'react'
import { followRecording } from './follow-recording'
import { RunStore } from './run-store'

/**
 * Follows a recording from its first entry on: whoever comes late or reloads sees all of it. What the store holds is
 * changed in place; `version` moves at most once per animation frame, and only then is there anything new to draw.
 */
export function useRunView(
  workspace: string,
  recording: string,
  follow = followRecording,
): { store: RunStore; version: number } {
  const [store] = useState(() => new RunStore())
  useEffect(
    () => follow({ workspace, recording, cursor: store.view.seq }, store.feed),
    [follow, workspace, recording, store],
  )
  const version = useSyncExternalStore(store.subscribe, store.getVersion, store.getVersion)
  return { store, version }
}
