'use client'
import { useQuery } from '@tanstack/react-query'
import { GitFork, ListTree, RotateCw } from 'lucide-react'
import Link from 'next/link'
import { useGoOn } from '@/components/runs/answer/use-go-on'
import { continueRequest } from '@/components/runs/start/recorded-request'
import { MomentLinks } from '@/components/runs/view/moment-links'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { CopyTextButton } from '@/components/ui/copy-button'
import { cn } from '@/lib/cn'
import { jsonText } from '@/lib/json/value'
import { failedRunsQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import { failureMarkdown, failureOf, typeInStack, untoldOf } from '@/lib/stream/failure'
import type { RecordingSummary } from '@/lib/stream/log'

type Props = {
  summary: RecordingSummary
  store: RunStore
  thread: string | null
  isGone: boolean
  /** The header above links to the trace. */
  isBelowHeader?: boolean
  className?: string
}

const isFailed = ({ view }: RunStore) => view.outcome === 'error' || view.outcome === 'timeout'

/** Why a run failed, and what can be done about it; nothing for other runs. */
export function FailureCard(props: Props) {
  return useRunValue(props.store, isFailed) ? <Failed {...props} /> : null
}

function Failed({ summary, store, thread, isGone, isBelowHeader, className }: Props) {
  const { workspace, deployment: deploymentId } = summary
  const { run: reason, hasTraces } = useReasons()
  const { goOn, error, isBusy, queued } = useGoOn(summary, thread)
  const run = store.view.run.id ?? summary.run
  // Optional: without traces there is no stack, and no input of the node where the stream has none.
  const trace = useQuery({
    ...failedRunsQuery(workspace, run ?? ''),
    enabled: run !== null && hasTraces && !isGone,
    retry: false,
  })
  const known = failureOf(store.view)
  if (!known) return null
  const { node, place, message, seq, checkpoint } = known
  const failed = trace.data?.runs ?? []
  const inputs = failed.findLast(({ name }) => name === node)?.inputs
  const input = known.input ?? (inputs ? jsonText(inputs) : undefined)
  const stack = stackOf(failed.find(({ id }) => id === run)?.error, message)
  const type = known.type ?? typeInStack(stack, message)
  const failure = { ...known, type, input }
  const untold = untoldOf(failure, stack)
  const facts: [string, string][] = [
    ['Deployment', deploymentId],
    ['Run', run ?? 'unknown'],
    ['Thread', thread ?? 'none'],
    ['Assistant', summary.assistant],
    ['Started', summary.startedAt],
  ]
  return (
    <section
      aria-label="Failure"
      className={cn(
        'mb-3 flex flex-col gap-2 rounded-lg border border-error/30 bg-error-soft p-3 text-sm [&>*]:shrink-0',
        className,
      )}
    >
      <h2 className="flex flex-wrap items-center gap-x-2 font-semibold">
        <VisibleText>{type ?? 'Failed'}</VisibleText>
        {node ? (
          <span className="font-normal text-ink-2">
            in{' '}
            <code className="font-mono text-ink">
              <VisibleText>{`${place ? `${place} › ` : ''}${node}`}</VisibleText>
            </code>
          </span>
        ) : null}
        {seq > 0 ? <MomentLinks seq={seq} from="transcript" /> : null}
      </h2>
      <LongText text={message} limit={2_000} className="break-words font-mono text-xs" />
      {stack ? <Folded title="Stack" text={stack} /> : null}
      {input ? <Folded title={`Input of ${node}`} text={input} /> : null}
      {untold.length > 0 && !trace.isLoading ? (
        <p className="text-ink-2 text-xs">Not in the server’s answer or a trace: {untold.join(', ')}.</p>
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
      <QueuedNotice queued={queued} />
      <div className="flex flex-wrap gap-2">
        {thread && !isGone ? (
          <Button
            size="sm"
            isBusy={isBusy}
            reason={reason}
            title="Runs the failed node again"
            onClick={() =>
              void goOn({
                ...continueRequest(summary.request, summary.assistant),
                // The thread may have gone on since.
                ...(checkpoint && { checkpoint: { checkpoint_id: checkpoint } }),
              })
            }
          >
            <RotateCw aria-hidden />
            Retry
          </Button>
        ) : null}
        {thread && checkpoint && !isGone ? (
          <>
            <Button size="sm" asChild>
              <Link href={routes.newRun(workspace, deploymentId, { assistant: summary.assistant, thread, checkpoint })}>
                <GitFork aria-hidden />
                Fork before this step
              </Link>
            </Button>
            <Button size="sm" asChild>
              <Link href={routes.thread(workspace, deploymentId, thread, { tab: 'history', at: checkpoint })}>
                Open checkpoint
              </Link>
            </Button>
          </>
        ) : null}
        {run && hasTraces && !isGone && !isBelowHeader ? (
          <Button size="sm" asChild>
            <Link href={routes.traceOfRun(workspace, deploymentId, run)}>
              <ListTree aria-hidden />
              Open trace
            </Link>
          </Button>
        ) : null}
        <CopyTextButton value={() => failureMarkdown(failure, facts, stack)}>Copy as Markdown</CopyTextButton>
      </div>
    </section>
  )
}

const Folded = ({ title, text }: { title: string; text: string }) => (
  <details>
    <summary className="text-ink-2 text-xs">
      <VisibleText>{title}</VisibleText>
    </summary>
    <LongText
      text={text}
      className="mt-1 whitespace-pre-wrap break-words rounded-md border bg-sunken p-2 font-mono text-xs"
    />
  </details>
)

/** The stack in a trace's error, which begins with the message; undefined if it has no more than that. */
function stackOf(error: string | null | undefined, message: string): string | undefined {
  return error && /\n\s+(at |File )/.test(error) && error.trim() !== message ? error : undefined
}
