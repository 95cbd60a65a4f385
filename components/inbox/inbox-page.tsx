'use client'
import { CornerDownRight } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { GroupedProblems } from '@/components/shared/feedback/grouped-problems'
import { Notice } from '@/components/shared/feedback/notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { PageHeader } from '@/components/shared/layout/page-header'
import { RightsAt, useRunReason } from '@/components/shared/layout/rights'
import { DataTable } from '@/components/shared/list/data-table'
import { useEarlyKey } from '@/components/shared/list/early-key'
import { Pager } from '@/components/shared/list/pager'
import { selectColumn } from '@/components/shared/list/select-column'
import { SelectionBar } from '@/components/shared/list/selection-bar'
import { focusRow, useRowKeys } from '@/components/shared/list/use-row-keys'
import { useSelection } from '@/components/shared/list/use-selection'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Select } from '@/components/ui/input'
import { askServersAgain } from '@/lib/actions/deployments'
import { cn } from '@/lib/cn'
import { MAX_ANSWERED } from '@/lib/contracts/wire/bulk'
import type { LiveError } from '@/lib/errors'
import { count, shortId } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { type Inbox, shownAs, type WaitingThread } from '@/lib/stream/inbox'
import type { JointComponent } from './answer-together'
import { type InboxRow, inboxColumns } from './inbox-columns'
import { useInbox } from './use-inbox'
import { useNeighbour } from './use-neighbour'
import { type AnswersComponent, WaitingPanel } from './waiting-panel'

const AnswerTogether = dynamic(() => import('./answer-together').then((module) => module.AnswerTogether), {
  ssr: false,
})

const PAGE = 50

type Props = { workspace: string; Answers: AnswersComponent; Joint: JointComponent }

/** Every thread of the workspace that needs input, oldest first, and the questions of the selected one. */
export function InboxPage({ workspace, Answers, Joint }: Props) {
  const search = useSearchParams()
  const [deploymentId, thread, marked] = ['deployment', 'thread', 'interrupt'].map((name) => search.get(name) ?? '')
  const { inbox, at, problem } = useInbox(workspace)
  const stale = staleOf({ data: inbox, error: null, dataUpdatedAt: at ?? 0 }, problem)
  const [answered, setAnswered] = useState<Readonly<Record<string, string | null>>>({})
  const [only, setOnly] = useState('')
  const [page, setPage] = useState(0)
  const waiting = useMemo(
    // An answered thread is hidden until it changes again.
    () => inbox?.threads.filter((one) => answered[keyOf(one)] !== (one.since ?? '')).map(rowOf),
    [inbox, answered],
  )
  const fitting = only ? waiting?.filter((one) => one.deployment === only) : waiting
  const first = Math.min(page, Math.max(0, Math.ceil((fitting?.length ?? 0) / PAGE) - 1)) * PAGE
  const rows = fitting?.slice(first, first + PAGE)
  const openKey = thread ? keyOf({ deployment: deploymentId ?? '', thread }) : undefined
  const open = inbox?.threads.find((one) => keyOf(one) === openKey)
  const neighbour = useNeighbour(rows, openKey)
  // The row that was pressed last: its panel may take a while.
  const [pressed, setPressed] = useState(openKey)
  useEarlyKey(shownOf(waiting?.find(({ id }) => id === pressed)))
  const selection = useSelection(rows ?? [], only)
  useRowKeys({ onSelect: (id) => selection.toggle(id, false) })
  const selected = waiting?.filter(({ id }) => selection.has(id)) ?? []
  const reason = useRunReason(selected.map(({ deployment }) => deployment))

  const askAgain = () => askServersAgain({ workspace })
  const startOver = () => void askAgain().finally(() => window.location.reload())
  const forget = (threads: readonly WaitingThread[]) =>
    setAnswered((now) => ({ ...now, ...Object.fromEntries(threads.map((one) => [keyOf(one), one.since ?? ''])) }))
  function onAnswered() {
    const after = neighbour()
    if (open) forget([open])
    if (after) requestAnimationFrame(() => focusRow(after))
  }
  // A thread that is closed, also by going back, leaves the focus nowhere.
  useEffect(() => {
    if (!openKey) return
    return () => {
      if (document.activeElement === document.body) focusRow(openKey)
    }
  }, [openKey])
  return (
    <>
      <PageHeader title="Inbox" meta={metaOf(waiting, inbox, problem)} />
      {stale ? (
        <StaleNotice {...stale} onRetry={startOver} />
      ) : problem ? (
        <ErrorNotice error={problem} onRetry={startOver} className="mb-3" />
      ) : null}
      {inbox ? <Unread inbox={inbox} onRetry={() => void askAgain()} /> : null}
      <div
        className={cn(
          'grid grid-cols-[minmax(0,1fr)] items-start gap-4',
          thread && 'lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]',
        )}
      >
        <div
          className={cn('min-w-0', thread && ABOVE_SHEET)}
          onClickCapture={({ target }) => setPressed((target as Element).closest<HTMLElement>('tr')?.dataset.key)}
        >
          <DeploymentSelect threads={waiting} value={only} onChange={setOnly} />
          {problem && !inbox ? null : (
            <DataTable
              label="Waiting threads"
              className={stale && STALE_STYLE}
              columns={[selectColumn(rows, ({ id }) => id, rows ?? [], selection), ...inboxColumns(Boolean(thread))]}
              rows={rows}
              rowKey={({ id }) => id}
              rowHref={(one) => routes.inbox(workspace, { deployment: one.deployment, thread: one.thread })}
              isMarked={({ id }) => id === openKey || selection.has(id)}
              pendingRows={6}
              empty={
                inbox?.unread.length ? (
                  <EmptyState title="No waiting threads found">Not everything could be read: see above.</EmptyState>
                ) : inbox?.pending ? (
                  <EmptyState title="None found yet">Some deployments have not answered yet.</EmptyState>
                ) : (
                  <EmptyState title="No waiting threads">
                    Threads appear here when a graph asks a question or stops at a breakpoint.
                  </EmptyState>
                )
              }
            />
          )}
          <Pager
            offset={first}
            size={PAGE}
            shown={rows?.length ?? 0}
            total={fitting?.length ?? 0}
            onMove={(offset) => setPage(Number(offset) / PAGE)}
          />
          <SelectionBar
            label="Selected threads"
            selection={selection}
            isOnPage={(id) => rows?.some((one) => one.id === id) ?? false}
            actions={[
              {
                label: 'Answer together…',
                icon: <CornerDownRight aria-hidden />,
                reason: reason ?? (selected.length === 0 ? 'None of these threads is waiting any more.' : undefined),
                max: MAX_ANSWERED,
                dialog: ({ drop, onClose }) => (
                  <AnswerTogether
                    workspace={workspace}
                    threads={selected}
                    Joint={Joint}
                    onAnswered={(ids) => {
                      drop(ids)
                      forget(selected.filter(({ id }) => ids.includes(id)))
                    }}
                    onClose={onClose}
                  />
                ),
              },
            ]}
          />
        </div>
        {thread ? (
          <RightsAt deployment={deploymentId ?? ''}>
            <WaitingPanel
              key={openKey}
              place={{ workspace, deploymentId: deploymentId ?? '', thread }}
              name={open?.deploymentName}
              marked={marked || undefined}
              Answers={Answers}
              onAnswered={onAnswered}
            />
          </RightsAt>
        ) : null}
      </div>
    </>
  )
}

const rowOf = (one: WaitingThread): InboxRow => ({
  ...one,
  id: keyOf(one),
  name: `${one.deploymentName} ${shortId(one.thread)}`,
})
const shownOf = (row: InboxRow | undefined) =>
  row?.questions?.[0] === undefined ? undefined : shownAs(row.questions[0], row.asks, row.about)
const keyOf = ({ deployment: deploymentId, thread }: Pick<WaitingThread, 'deployment' | 'thread'>) =>
  `${deploymentId} ${thread}`

/** What the list covers. Null where an error or the empty list says it. */
export function metaOf(
  waiting: readonly WaitingThread[] | undefined,
  inbox: Inbox | undefined,
  problem: LiveError | undefined,
): ReactNode {
  if (!waiting) return problem ? null : 'Loading…'
  const pending = inbox?.pending
    ? ` Checking ${count(inbox.pending)} more ${inbox.pending === 1 ? 'deployment' : 'deployments'}.`
    : ''
  if (waiting.length === 0 && pending) return `None found yet.${pending}`
  if (waiting.length === 0) return null
  const names = new Set(waiting.map(({ deployment: deploymentId }) => deploymentId)).size
  const cut = inbox && inbox.cut.length > 0 ? ` Only the oldest of ${inbox.cut.join(', ')} are shown.` : ''
  return `${count(waiting.length)} waiting ${waiting.length === 1 ? 'thread' : 'threads'} in ${count(names)} ${names === 1 ? 'deployment' : 'deployments'}, oldest first.${cut}${pending}`
}

/** Below the list is as much room as the sheet covers, so that every row can be above it. */
const ABOVE_SHEET = 'max-lg:pb-[75dvh] max-lg:[&_tr]:scroll-mb-[75dvh] max-lg:[&_a]:scroll-mb-[76dvh]'

/** Deployments that could not be read, with the time of their last successful read. */
const Unread = ({ inbox: { unread }, onRetry }: { inbox: Inbox; onRetry: () => void }) =>
  unread.length === 0 ? null : (
    <div className="mb-3">
      <Notice tone="warn" onRetry={onRetry}>
        <p>
          {unread.length === 1
            ? 'One deployment could not be read'
            : `${count(unread.length)} deployments could not be read`}
          . Waiting threads may be missing.
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <ul tabIndex={0} aria-label="Not read" className="mt-1 max-h-40 overflow-y-auto text-ink-2 text-xs">
          <GroupedProblems
            problems={unread.map(({ deployment, deploymentName: name, message, readAt }) => ({
              deployment,
              name,
              message,
              detail: readAt ? (
                <>
                  Last read <RelativeTime at={readAt} />.
                </>
              ) : (
                'Not read yet.'
              ),
            }))}
          />
        </ul>
      </Notice>
    </div>
  )

type SelectProps = { threads: readonly WaitingThread[] | undefined; value: string; onChange: (value: string) => void }

function DeploymentSelect({ threads = [], value, onChange }: SelectProps) {
  const names = new Map(threads.map(({ deployment: deploymentId, deploymentName }) => [deploymentId, deploymentName]))
  // Resets the filter when its deployment has no waiting threads left.
  useEffect(() => {
    if (value && !names.has(value)) onChange('')
  })
  if (names.size < 2) return null
  return (
    <Select
      aria-label="Deployment"
      className="mb-3 w-auto max-w-full"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">All deployments</option>
      {[...names].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  )
}
