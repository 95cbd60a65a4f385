'use client'

import { useEffect, useMemo, useRef, useState } from 'react'
import { ForkAt } from '@/components/runs/view/fork-at'
import { useMoment } from '@/components/runs/view/moment'
import { AtMoment, MomentLinks } from '@/components/runs/view/moment-links'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunVersion } from '@/components/runs/view/use-run-view'
import { JsonTree } from '@/components/shared/json/json-tree'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { byteSize } from '@/lib/format/format'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { latestValues, type RunView, valuesAt } from '@/lib/stream/run-view'
import { type ChangedKeys, changedKeys } from './changed-keys'
import { ChangedNote } from './changed-note'

type Latest = { seq: number; at: number; size: number; value?: unknown; problem?: string }

/** Parsing large states may take about a tenth of the page's time. */
const MIN_PAUSE_MS = 250

/** The graph's state as a tree, the latest or at one entry. Open nodes stay open as the state changes. */
export function StateLens({ store }: { store: RunStore }) {
  const { view } = store
  const { at } = useMoment()
  const setSearch = useSetSearch({ isLocal: true })
  const newest = useLatestState(view, useRunVersion(store))
  // The requested entry may not have arrived yet.
  const isThere = at !== undefined && at <= view.seq
  const then = useMemo(() => {
    const found = isThere ? valuesAt(view, at) : undefined
    return found && { seq: found.seq, at: found.at, size: found.text.length, ...read(found.text, found.isThreadState) }
  }, [view, at, isThere])
  const latest = at === undefined ? newest : then
  const leave = () => setSearch({ at: '' })
  const changes = useChangedKeys(view, latest?.seq)
  if (!latest && at !== undefined && isThere)
    return (
      <div className="flex flex-col items-center gap-2 py-10 text-center text-ink-3 text-sm">
        No state yet at this entry.
        <AtMoment seq={at} onLeave={leave} />
      </div>
    )
  if (!latest)
    return (
      <p className="py-10 text-center text-ink-3 text-sm">
        {latestValues(view)
          ? 'Reading the state…'
          : view.final
            ? 'No state recorded. The run was started without the stream mode “Values”.'
            : view.phase === 'ended'
              ? 'No state recorded'
              : 'No state yet.'}
      </p>
    )
  const head = (
    // The links stay at the end, whatever the words say, and the button comes before them when the run ends.
    <span className="flex min-w-0 flex-[1_1_16rem] flex-wrap items-center gap-x-3 px-1 text-ink-3 text-xs tabular-nums">
      {at === undefined ? null : <AtMoment seq={at} onLeave={leave} />}
      <span>
        {byteSize(latest.size)}, entry {latest.seq}, <RelativeTime at={latest.at} />
      </span>
      {/* It keeps its room while the next one is computed, on a phone before the first too. */}
      <span className="max-sm:h-4 max-sm:w-full max-sm:truncate">
        {changes ? (
          <span className={changes.seq === latest.seq ? undefined : 'invisible'}>
            <ChangedNote found={changes.found} />
          </span>
        ) : null}
      </span>
      <span className="ml-auto flex h-7 items-center gap-x-2">
        <ForkAt store={store} seq={latest.seq} isExact />
        <MomentLinks seq={latest.seq} from="state" />
      </span>
    </span>
  )
  if (latest.problem !== undefined) return <p className="p-4 text-error text-sm">{latest.problem}</p>
  return (
    <JsonTree
      value={latest.value}
      label={at === undefined ? 'Latest state' : `State at entry ${at}`}
      className="h-full"
      actions={head}
      labels={changes?.seq === latest.seq ? changes.labels : undefined}
    />
  )
}

/** The keys changed by the step before an entry, computed when the browser is idle; until then those of another entry. */
function useChangedKeys(view: RunView, seq: number | undefined) {
  const [known, setKnown] = useState<{ seq: number; found: ChangedKeys; labels: ReadonlyMap<string, string> }>()
  useEffect(() => {
    if (seq === undefined) return
    const timer = setTimeout(() => {
      const found = changedKeys(view, seq)
      if (!found) return setKnown(undefined)
      const words = (word: string, keys: readonly string[]) => keys.map((key) => [key, word] as const)
      setKnown({ seq, found, labels: new Map([...words('changed', found.changed), ...words('added', found.added)]) })
    })
    return () => clearTimeout(timer)
  }, [view, seq])
  return known
}

function useLatestState(view: RunView, version: number): Latest | undefined {
  const [latest, setLatest] = useState<Latest>()
  const shownSeq = useRef(0)
  const freeAt = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is mutated in place; its version signals changes
  useEffect(() => {
    const next = latestValues(view)
    if (!next || next.seq === shownSeq.current) return
    const timer = setTimeout(
      () => {
        const newest = latestValues(view) ?? next
        const started = performance.now()
        shownSeq.current = newest.seq
        setLatest({
          seq: newest.seq,
          at: newest.at,
          size: newest.text.length,
          ...read(newest.text, newest.isThreadState),
        })
        const took = performance.now() - started
        freeAt.current = performance.now() + Math.max(MIN_PAUSE_MS, took * 9)
      },
      Math.max(0, freeAt.current - performance.now()),
    )
    return () => clearTimeout(timer)
  }, [view, version])
  return latest
}

function read(text: string, isThreadState: boolean): Pick<Latest, 'value' | 'problem'> {
  try {
    const value = parseJson(text)
    return { value: isThreadState && isRecord(value) && 'values' in value ? value.values : value }
  } catch (error) {
    return {
      problem: `This state cannot be shown as a tree: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}
