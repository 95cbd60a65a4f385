import { isSameJson } from '@/lib/json/difference'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type RunView, valuesAt } from '@/lib/stream/run-view'

/** Larger states are not compared, to keep the page responsive. In characters of JSON. */
const MOST_COMPARED = 1_000_000

/** The keys that a step changed. `before` is the entry that the state is compared with. */
export type ChangedKeys = { before: number; changed: string[]; added: string[]; removed: string[] }

/** What the last step before `seq` changed in the state; undefined if there is nothing, or too much, to compare. */
export function changedKeys(view: RunView, seq: number): ChangedKeys | undefined {
  const now = stateAt(view, seq)
  if (!now) return undefined
  const before = stateAt(view, now.seq - 1)
  const found = before && difference(before, now)
  // The state read at the end repeats the last streamed one, so that one's changes are reported.
  if (!before || !found || !now.isThreadState || hasChanges(found)) return found
  const earlier = stateAt(view, before.seq - 1)
  return earlier ? difference(earlier, now) : found
}

export const hasChanges = ({ changed, added, removed }: ChangedKeys): boolean =>
  changed.length + added.length + removed.length > 0

type State = { seq: number; isThreadState: boolean; value: Record<string, unknown> }

function stateAt(view: RunView, seq: number): State | undefined {
  const found = valuesAt(view, seq)
  if (!found || found.text.length > MOST_COMPARED) return undefined
  try {
    const read = parseJson(found.text)
    const value = found.isThreadState && isRecord(read) && 'values' in read ? read.values : read
    return isRecord(value) ? { seq: found.seq, isThreadState: found.isThreadState, value } : undefined
  } catch {
    return undefined // the error is shown next to the state
  }
}

function difference(before: State, now: State): ChangedKeys {
  const has = (state: State, key: string) => Object.hasOwn(state.value, key)
  const keys = Object.keys(now.value)
  return {
    before: before.seq,
    changed: keys.filter((key) => has(before, key) && !isSameJson(before.value[key], now.value[key])),
    added: keys.filter((key) => !has(before, key)),
    removed: Object.keys(before.value).filter((key) => !has(now, key)),
  }
}
