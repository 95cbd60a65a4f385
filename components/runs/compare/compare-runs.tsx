'use client'
import Link from 'next/link'
import { useMemo } from 'react'
import { OpenLens } from '@/components/runs/lenses/run-lenses'
import { LENSES, type Lens, lensTabs, useMoment } from '@/components/runs/view/moment'
import { RunFigures } from '@/components/runs/view/run-figures'
import { RunPlace } from '@/components/runs/view/run-place'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunVersion, useRunView } from '@/components/runs/view/use-run-view'
import { useTracedRun } from '@/components/runs/view/use-traced-run'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
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
import { askedText } from '@/lib/stream/thread-rows'
import { runDifference } from './run-difference'

type Props = {
  workspace: string
  a: RecordingSummary | undefined
  b: RecordingSummary | undefined
  /** Recent runs to choose from. */
  recent: readonly RecordingSummary[]
  serverNow: number
}

/** Two recordings side by side. */
export function CompareRuns({ workspace, a, b, recent, serverNow }: Props) {
  return (
    <div className="space-y-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <Pick name="a" label="Left" chosen={a} recent={recent} />
        <Pick name="b" label="Right" chosen={b} recent={recent} />
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
  chosen: RecordingSummary | undefined
  recent: readonly RecordingSummary[]
}

function Pick({ name, label, chosen, recent }: PickProps) {
  const setSearch = useSetSearch()
  const list = chosen && !recent.some(({ id }) => id === chosen.id) ? [chosen, ...recent] : recent
  return (
    <Field id={`compare-${name}`} label={label}>
      <Select
        id={`compare-${name}`}
        value={chosen?.id ?? ''}
        onChange={(event) => setSearch({ [name]: event.target.value })}
      >
        <option value="">Choose a run…</option>
        {list.map((one) => (
          <option key={one.id} value={one.id}>
            {`${one.startedAt.slice(0, 19).replace('T', ' ')} · ${nameOf(one)} · ${runStatus(one).label}`}
          </option>
        ))}
      </Select>
    </Field>
  )
}

const MOST_CHARACTERS = 60

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
    { summary: a, store: stores[0], name: 'Left run' },
    { summary: b, store: stores[1], name: 'Right run' },
  ] as const
  return (
    <>
      <Differences sides={sides} />
      <Tabs
        label="Lenses"
        value={lens}
        onValueChange={(value) => open(value as Lens) /* a tab below */}
        className="[&>[role=tabpanel]]:pt-3"
        tabs={lensTabs(LENSES)}
      >
        <div className="grid gap-3 lg:grid-cols-2">
          {sides.map(({ summary, store, name }) => (
            <section key={name} aria-label={name} className="min-w-0">
              <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
                <Link
                  className="font-medium underline"
                  href={routes.recording(workspace, summary.deployment, summary.id)}
                >
                  {shortId(summary.id)}
                </Link>
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

type Side = { summary: RecordingSummary; store: RunStore }

/** Nothing of the log was read yet or, of an ended run, not all of it. */
const isLoading = ({ summary, store }: Side) =>
  store.view.seq === 0 || (summary.phase === 'ended' && !store.view.final && !store.isCaughtUp)

function Differences({ sides: [a, b] }: { sides: readonly [Side, Side] }) {
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
    <section
      aria-label="Metrics of both runs"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      className="max-h-80 overflow-auto rounded-lg border bg-panel"
    >
      <table aria-label="Differences" className="w-full text-left text-xs">
        <thead className="sticky top-0 bg-panel text-ink-3">
          <tr className="border-b">
            <th className="px-3 py-1.5 font-medium">Metric</th>
            <th className="px-3 py-1.5 font-medium">Left</th>
            <th className="px-3 py-1.5 font-medium">Right</th>
          </tr>
        </thead>
        <tbody className="divide-y tabular-nums">
          {rows.map((row) => (
            <tr key={row.name} className={cn(row.isDifferent ? 'font-medium' : 'text-ink-3')}>
              <th scope="row" className="max-w-60 truncate px-3 py-1 font-normal">
                <VisibleText>{row.name}</VisibleText>
              </th>
              <td className="px-3 py-1">{row.a}</td>
              <td className="px-3 py-1">{row.b}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
