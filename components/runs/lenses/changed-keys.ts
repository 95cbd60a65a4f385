import { isSameJson } from '@/lib/json/difference'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type RunView, valuesAt } from '@/lib/stream/run-view'

/** A larger state is not compared: that would hold the page up while the run goes on. Characters of JSON. */
const MOST_COMPARED = 1_000_000

/** Keys of a state by what the step that led to it did. `before`: the entry it is compared with. */
export type ChangedKeys = { before: number; changed: string[]; added: string[]; removed: string[] }

/** What the last step before `seq` changed in the state that stands there; undefined where there is nothing to compare, or too much. */
export function changedKeys(view: RunView, seq: number): ChangedKeys | undefined {
  const now = stateAt(view, seq)
  if (!now) return undefined
  const before = stateAt(view, now.seq - 1)
  const found = before && difference(before, now)
  // The state that is read at the end is the last one streamed once more: then what led to that one is told.
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
    return undefined // what is wrong with it is said where it is shown
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
