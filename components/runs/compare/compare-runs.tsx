'use client'
import Link from 'next/link'
import { useMemo, useState } from 'react'
import { OpenLens } from '@/components/runs/lenses/run-lenses'
import { LENSES, type Lens, lensTabs, useMoment } from '@/components/runs/view/moment'
import { RunFigures } from '@/components/runs/view/run-figures'
import { RunPlace } from '@/components/runs/view/run-place'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunVersion, useRunView } from '@/components/runs/view/use-run-view'
import { useTracedRun } from '@/components/runs/view/use-traced-run'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { TextDifference } from '@/components/shared/text/text-difference'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { scrollPanel } from '@/components/ui/styles'
import { Tabs } from '@/components/ui/tabs'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format/format'
import { isUuid } from '@/lib/json/guards'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { runStatus } from '@/lib/stream/run-status'
import { outputOf } from '@/lib/stream/run-view'
import { askedText } from '@/lib/stream/thread-rows'
import { runDifference } from './run-difference'

type Props = {
  workspace: string
  /** Null if its recording is not found. */
  a: RecordingSummary | null | undefined
  b: RecordingSummary | null | undefined
  /** Recent runs to choose from. */
  recent: readonly RecordingSummary[]
  serverNow: number
}

/** Two recordings side by side. */
export function CompareRuns({ workspace, a, b, recent, serverNow }: Props) {
  return (
    <div className="space-y-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <Pick name="a" label="First run" chosen={a} recent={recent} />
        <Pick name="b" label="Second run" chosen={b} recent={recent} />
      </div>
      {a && b ? (
        <Both key={`${a.id} ${b.id}`} workspace={workspace} a={a} b={b} serverNow={serverNow} />
      ) : (
        <p className="py-10 text-center text-ink-3 text-sm">Choose two runs to compare.</p>
      )}
    </div>
  )
}

type PickProps = {
  name: 'a' | 'b'
  label: string
  chosen: RecordingSummary | null | undefined
  recent: readonly RecordingSummary[]
}

function Pick({ name, label, chosen, recent }: PickProps) {
  const setSearch = useSetSearch()
  const list = chosen && !recent.some(({ id }) => id === chosen.id) ? [chosen, ...recent] : recent
  return (
    <Field id={`compare-${name}`} label={label} error={chosen === null ? GONE : undefined}>
      <Select
        id={`compare-${name}`}
        value={chosen?.id ?? ''}
        onChange={(event) => setSearch({ [name]: event.target.value })}
      >
        <option value="">Choose a run…</option>
        {list.map((one) => (
          <option key={one.id} value={one.id}>
            {`${momentOf(one)} · ${nameOf(one)} · ${runStatus(one).label}`}
          </option>
        ))}
      </Select>
    </Field>
  )
}

const GONE = 'This recording was not found. It may have expired. Choose another run.'
const MOST_CHARACTERS = 60

const momentOf = ({ startedAt }: RecordingSummary) => startedAt.slice(0, 19).replace('T', ' ')

/** What a run is called beside another one: its graph, if it names one, and start; its id where these are the same. */
export function nameBeside(run: RecordingSummary, other: RecordingSummary): string {
  const graphOf = ({ id, assistant }: RecordingSummary) => (isUuid(assistant) ? `Run ${shortId(id)}` : assistant)
  const short = (one: RecordingSummary) => `${graphOf(one)}, ${momentOf(one)} UTC`
  return short(run) === short(other) ? `${short(run)}, ${shortId(run.id)}` : short(run)
}

/** What the run was asked, and the graph that it names; its id if neither is known. */
function nameOf({ id, assistant, request }: RecordingSummary): string {
  const asked = askedText(request) ?? ''
  const shown = asked.length > MOST_CHARACTERS ? `${asked.slice(0, MOST_CHARACTERS - 1)}…` : asked
  return [shown, isUuid(assistant) ? '' : assistant].filter(Boolean).join(' · ') || shortId(id)
}

function Both({
  workspace,
  a,
  b,
  serverNow,
}: {
  workspace: string
  a: RecordingSummary
  b: RecordingSummary
  serverNow: number
}) {
  const { lens, open } = useMoment()
  const stores = [useRunView(workspace, a.id), useRunView(workspace, b.id)] as const
  const sides = [
    { id: 'a', summary: a, store: stores[0], name: nameBeside(a, b) },
    { id: 'b', summary: b, store: stores[1], name: nameBeside(b, a) },
  ] as const
  return (
    <>
      <Outputs sides={sides} />
      <Differences sides={sides} />
      <Tabs
        label="Lenses"
        value={lens}
        onValueChange={(value) => open(value as Lens) /* a tab below */}
        className="[&>[role=tabpanel]]:pt-3"
        tabs={lensTabs(LENSES)}
      >
        <div className="grid gap-3 lg:grid-cols-2">
          {sides.map(({ id, summary, store, name }) => (
            <section key={id} aria-label={name} className="min-w-0">
              <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
                <h2 className="min-w-0 truncate font-medium">
                  <Link className="underline" href={routes.recording(workspace, summary.deployment, summary.id)}>
                    <VisibleText>{name}</VisibleText>
                  </Link>
                </h2>
                <RelativeTime at={summary.startedAt} />
                <RunFigures summary={summary} serverNow={serverNow} store={store} isCancelling={false} />
              </div>
              <div className={cn('h-[max(24rem,calc(100dvh-14rem))]', scrollPanel)}>
                <RunPlace value={placeOf(summary)}>
                  <OpenLens lens={lens} store={store} summary={summary} side={name} />
                </RunPlace>
              </div>
            </section>
          ))}
        </div>
      </Tabs>
    </>
  )
}

const placeOf = ({ workspace, deployment: deploymentId, assistant, thread }: RecordingSummary) => ({
  workspace,
  deploymentId,
  assistant,
  thread,
})

/** More would push the runs off the first screen. */
const MOST_ROWS = 16

type Side = { id: 'a' | 'b'; summary: RecordingSummary; store: RunStore; name: string }

/** Nothing of the log was read yet or, of an ended run, not all of it. */
const isLoading = ({ summary, store }: Side) =>
  store.view.seq === 0 || (summary.phase === 'ended' && !store.view.final && !store.isCaughtUp)

function Differences({ sides: [a, b] }: { sides: readonly [Side, Side] }) {
  const [isWhole, setWhole] = useState(false)
  const version = [useRunVersion(a.store), useRunVersion(b.store)].join()
  const [left, right] = [useTracedRun(a.summary, a.store).row, useTracedRun(b.summary, b.store).row]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the views are mutated in place; their versions signal changes
  const rows = useMemo(
    () =>
      runDifference(
        { view: a.store.view, summary: a.summary, traced: left, isLoading: isLoading(a) },
        { view: b.store.view, summary: b.summary, traced: right, isLoading: isLoading(b) },
      ),
    [a, b, version, left, right],
  )
  return (
    <section aria-label="Metrics of both runs" className="rounded-lg border bg-panel">
      <table aria-label="Differences" className="w-full table-fixed text-left text-xs">
        <thead className="text-ink-3">
          <tr className="border-b">
            <th className="px-3 py-1.5 font-medium">Metric</th>
            {[a, b].map(({ id, name }) => (
              <th key={id} scope="col" className="break-words px-3 py-1.5 font-medium">
                <VisibleText>{name}</VisibleText>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y tabular-nums">
          {(isWhole ? rows : rows.slice(0, MOST_ROWS)).map((row) => (
            <tr key={row.name} className={cn(row.isDifferent ? 'font-medium' : 'text-ink-3')}>
              <th scope="row" title={row.name} className="truncate px-3 py-1 font-normal">
                <VisibleText>{row.name}</VisibleText>
              </th>
              <td className="px-3 py-1">{row.a}</td>
              <td className="px-3 py-1">{row.b}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS ? (
        <Button variant="ghost" size="sm" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${rows.length} rows`}
        </Button>
      ) : null}
    </section>
  )
}

/** What differs in the second run's output. Nothing moves when the outputs are read. */
function Outputs({ sides: [a, b] }: { sides: readonly [Side, Side] }) {
  const [from, to] = [useOutput(a), useOutput(b)]
  return (
    <section aria-label="Outputs" className="rounded-lg border bg-panel">
      <p className="border-b px-3 py-1.5 text-ink-3 text-xs">
        Output of <VisibleText>{b.name}</VisibleText>: differences from <VisibleText>{a.name}</VisibleText>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Difference of the outputs" className="h-32 overflow-y-auto px-3 py-2">
        {from === undefined || to === undefined ? (
          <p className="text-ink-3 text-sm">
            {isLoading(a) || isLoading(b) ? 'Loading…' : 'Shown when both runs have ended.'}
          </p>
        ) : from === '' && to === '' ? (
          <p className="text-ink-3 text-sm">Neither run has an output.</p>
        ) : (
          <TextDifference from={from} to={to} name={a.name}>
            <p className="whitespace-pre-wrap break-words text-sm">
              <VisibleText>{to}</VisibleText>
            </p>
          </TextDifference>
        )}
      </section>
    </section>
  )
}

/** Of a run that has ended. */
function useOutput(side: Side): string | undefined {
  const { summary, store } = side
  const version = useRunVersion(store)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is mutated in place; its version signals changes
  return useMemo(
    () => (store.view.final || (summary.phase === 'ended' && !isLoading(side)) ? outputOf(store.view) : undefined),
    [store, summary, version],
  )
}
