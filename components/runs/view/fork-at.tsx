'use client'
import { useQueryClient } from '@tanstack/react-query'
import { GitFork } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useContext, useMemo, useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { type ForkPoint, forkPointAt } from '@/lib/stream/checkpoint'
import { checkpointBefore } from './checkpoint-before'
import { RunPlace } from './run-place'
import type { RunStore } from './run-store'

/** How many entries are looked at. Fewer while the run goes on, because each frame looks again. */
const MOST = 20_000
const MOST_LIVE = 500

type Props = {
  store: RunStore
  seq: number
  /** Offers nothing rather than an earlier entry. */
  isExact?: boolean
}

/** Forks the thread at an entry; where that has no checkpoint, at the nearest one before it, and says which. */
export function ForkAt(props: Props) {
  const place = useContext(RunPlace)
  return place?.thread ? <NearestFork {...props} place={{ ...place, thread: place.thread }} /> : null
}

type Place = ThreadPlace & { assistant: string }

function NearestFork({ store: { view }, seq, isExact, place }: Props & { place: Place }) {
  const { last } = view.log
  const most = view.final ? MOST : MOST_LIVE
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log is changed in place; its last entry signals changes
  const point = useMemo(() => forkPointAt(view.log, seq, most), [view.log, last, seq, most])
  if (!point || (isExact && point.seq !== seq)) return null
  return <ForkButton key={point.seq} point={point} at={seq} place={place} />
}

type ButtonProps = { point: ForkPoint; at: number; place: Place }

function ForkButton({ point, at, place: { assistant, ...place } }: ButtonProps) {
  const { run: reason } = useReasons()
  const client = useQueryClient()
  const router = useRouter()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const { workspace, deploymentId, thread } = place
  const isHere = point.seq === at
  const formAt = (checkpoint: string) => routes.newRun(workspace, deploymentId, { assistant, thread, checkpoint })
  async function find(task: string) {
    setBusy(true)
    setError(undefined)
    try {
      const checkpoint = await checkpointBefore(client, place, task)
      if (checkpoint) router.push(formAt(checkpoint))
      else setError('This checkpoint is no longer in the thread’s history.')
    } catch (failure) {
      setError(failure instanceof AppError ? failure.message : 'The thread’s history could not be read. Try again.')
    }
    setBusy(false)
  }
  const label = (
    <>
      <GitFork aria-hidden />
      {isHere ? 'Fork from here' : `Fork from entry ${count(point.seq)}`}
    </>
  )
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-xs">
      {isHere ? null : (
        <span className="text-ink-3">
          No checkpoint at this entry. The nearest before it is at entry {count(point.seq)}
          {'task' in point ? (
            <>
              , before <VisibleText>{point.node}</VisibleText> ran
            </>
          ) : null}
          .
        </span>
      )}
      {error ? (
        <span role="alert" className="text-error">
          {error}
        </span>
      ) : null}
      {'checkpoint' in point && !reason ? (
        <Button size="sm" variant="ghost" asChild>
          <Link title={`Start a run from checkpoint ${point.checkpoint}`} href={formAt(point.checkpoint)}>
            {label}
          </Link>
        </Button>
      ) : (
        <Button
          size="sm"
          variant="ghost"
          isBusy={isBusy}
          reason={reason}
          onClick={'task' in point ? () => void find(point.task) : undefined}
        >
          {label}
        </Button>
      )}
    </span>
  )
}
