import { Check, Circle, CircleDashed, CircleDot, CircleSlash, X } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Spinner } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { SpanText } from './common/span'
import type { Stage, StageState } from './stages'

const LOOKS: Record<StageState, { icon: ReactNode; style: string; said: string }> = {
  done: { icon: <Check aria-hidden className="size-3.5" />, style: 'text-ok', said: 'reached' },
  current: { icon: <Spinner />, style: 'text-progress font-medium', said: 'now' },
  failed: { icon: <X aria-hidden className="size-3.5" />, style: 'text-error font-medium', said: 'failed' },
  stopped: { icon: <CircleSlash aria-hidden className="size-3.5" />, style: 'text-ink font-medium', said: 'ended' },
  ahead: { icon: <Circle aria-hidden className="size-3.5" />, style: 'text-ink-3', said: 'not reached' },
  unsure: { icon: <CircleDashed aria-hidden className="size-3.5" />, style: 'text-ink-3', said: 'passed or skipped' },
}
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

type Props = {
  stages: readonly Stage[]
  isKnown: boolean
  /** Who is away that the current stage waits for. */
  awaited?: { subject: string; since: string | null } | undefined
  listenerHref: Route
}

/** The progress of a revision. Stages that were neither recorded nor seen are dashed, because they may have been skipped. */
export const StageStepper = ({ stages, isKnown, awaited, listenerHref }: Props) => (
  <ol aria-label="Stages" className="flex flex-wrap items-center gap-x-5 gap-y-2 rounded-lg border bg-panel px-4 py-3">
    {stages.map(({ id, label, state, note, seenAt, span }) => {
      const { icon, style, said } = LOOKS[state]
      return (
        <li
          key={id}
          aria-current={state === 'current' ? 'step' : undefined}
          title={seenAt === undefined ? note : `${note} Seen at ${new Date(seenAt).toISOString()}.`}
          className={cn('flex min-w-0 flex-wrap items-center gap-x-1.5 text-xs', style)}
        >
          {state === 'current' && (awaited || !isKnown) ? <CircleDot aria-hidden className="size-3.5" /> : icon}
          <span className="truncate">{label}</span>
          <span className="sr-only">({said})</span>
          {span ? (
            <span className="text-ink-3 tabular-nums">
              <SpanText span={span} />
            </span>
          ) : seenAt === undefined || state === 'ahead' ? null : (
            <span className="text-ink-3 tabular-nums">{clock.format(seenAt)}</span>
          )}
          {state === 'current' && awaited ? (
            <span className="text-ink-2">
              waiting for{' '}
              <Link className="text-accent underline" href={listenerHref}>
                {awaited.subject}
              </Link>
              ,{' '}
              {awaited.since === null ? (
                'which has never connected'
              ) : (
                <>
                  last heard <RelativeTime at={awaited.since} />
                </>
              )}
            </span>
          ) : null}
        </li>
      )
    })}
  </ol>
)
