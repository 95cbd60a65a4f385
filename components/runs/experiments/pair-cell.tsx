'use client'
import { Check, ThumbsDown, ThumbsUp, X } from 'lucide-react'
import Link from 'next/link'
import { type ReactNode, useRef, useState } from 'react'
import { useRunVersion, useRunView } from '@/components/runs/view/use-run-view'
import { useSave } from '@/components/shared/form/use-save'
import { MarkdownText } from '@/components/shared/message/markdown/markdown-text'
import { LongText } from '@/components/shared/text/long-text'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { TextDifference } from '@/components/shared/text/text-difference'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/input'
import { ratePair } from '@/lib/actions/experiments'
import { cn } from '@/lib/cn'
import { count, duration } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import {
  type CheckResult,
  MAX_NOTE,
  type Pair,
  type PairResult,
  revisionName,
  revisionOf,
  type Subject,
} from '@/lib/stream/experiments'
import { messageText } from '@/lib/stream/messages'
import { rowStatus } from '@/lib/stream/run-status'
import { messagesOf } from '@/lib/stream/run-view'

type Props = {
  place: { workspace: string; id: string }
  pair: Pair
  subject: Subject | undefined
  /** The output to compare with, and the column that it is of. */
  base: { name: string; output: string } | undefined
  isRunning: boolean
  /** Why the reader may not rate. */
  reason: string | undefined
  onRated: () => void
}

/** One assistant's answer to one input. */
export function PairCell({ place, pair, subject, base, isRunning, reason, onRated }: Props) {
  const { state, result, recording, error, checks } = pair
  if (state === 'waiting')
    return (
      <StatusBadge tone="unknown">
        {isRunning ? 'Waiting' : subject?.isPinned ? 'Waiting for its revision' : 'Not started'}
      </StatusBadge>
    )
  if (state === 'failed')
    return (
      <>
        <StatusBadge tone="error">Not started</StatusBadge>
        <p className="mt-1 break-words text-error text-xs">
          <VisibleText>{error ?? ''}</VisibleText>
        </p>
      </>
    )
  const status = rowStatus(result ? result.outcome : 'running')
  return (
    <div className="space-y-2">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2 text-xs tabular-nums">
        <StatusBadge tone={status.tone} title={status.detail}>
          {status.label}
        </StatusBadge>
        {result ? <Facts result={result} /> : null}
        {result && subject ? <ResultRevision result={result} subject={subject} /> : null}
        {recording && subject ? (
          <Link
            className="text-accent hover:underline"
            href={routes.recording(place.workspace, subject.deployment, recording)}
          >
            Open run
          </Link>
        ) : null}
      </p>
      {result ? (
        <>
          {result.error ? (
            <p className="break-words text-error text-xs">
              <VisibleText>{result.error}</VisibleText>
            </p>
          ) : null}
          {base === undefined || result.output === '' ? (
            <Answer text={result.output} />
          ) : (
            <TextDifference from={base.output} to={result.output} name={base.name}>
              <Answer text={result.output} />
            </TextDifference>
          )}
          <Checks checks={checks} />
          <Rating place={place} pair={pair} reason={reason} onRated={onRated} />
        </>
      ) : recording ? (
        <LiveOutput workspace={place.workspace} recording={recording} />
      ) : null}
    </div>
  )
}

function Facts({
  result: { latencyMs, tokensIn, tokensOut, isTraced, cost, isEstimated },
}: {
  result: NonNullable<Pair['result']>
}) {
  const tokens = tokensIn === null || tokensOut === null ? undefined : tokensIn + tokensOut
  return (
    <>
      <Fact title="Duration of the run">{latencyMs === null ? undefined : duration(latencyMs)}</Fact>
      <Fact
        title={
          tokens === undefined
            ? 'Tokens: not reported'
            : `${count(tokensIn ?? 0)} tokens in, ${count(tokensOut ?? 0)} out, ${isTraced ? 'from the trace' : 'as the console received them'}`
        }
      >
        {tokens === undefined ? undefined : `${isTraced ? '' : '≈ '}${count(tokens)} tokens`}
      </Fact>
      <Fact title={cost === null ? 'Cost: unknown' : isEstimated ? 'Estimated from prices' : 'Logged with the run'}>
        {cost === null ? undefined : costText(cost, isEstimated)}
      </Fact>
    </>
  )
}

/** The revision that answered, where it is not that of the column; and when, if this experiment did not run it. */
function ResultRevision({ result, subject }: { result: PairResult; subject: Subject }) {
  const { id, isInferred } = revisionOf(result, subject) ?? { isInferred: true }
  return (
    <>
      {result.isReused && result.startedAt ? (
        <span title="The result of an earlier run on this revision, with the same input, assistant and options">
          result of <RelativeTime at={result.startedAt} />, not run again
        </span>
      ) : null}
      {id === null ? (
        <span title="Another revision began to serve during the run, or the console could not find out which one served.">
          revision unknown
        </span>
      ) : isInferred || id === subject.revision || id === undefined ? null : (
        <span title="The revision that served during the run">{revisionName(id)}</span>
      )}
    </>
  )
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <span title={title}>{children ?? '–'}</span>
)

export const costText = (cost: number, isEstimated: boolean) =>
  `${isEstimated ? '≈' : ''}$${cost === 0 ? '0' : cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(2)}`

const Checks = ({ checks }: { checks: readonly CheckResult[] }) =>
  checks.length === 0 ? null : (
    <ul aria-label="Checks" className="space-y-0.5 text-xs">
      {checks.map(({ isPassed, reason }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of the checks is their identity
        <li key={index} className={cn('flex items-start gap-1.5', isPassed ? 'text-ok' : 'text-error')}>
          {isPassed ? <Check aria-hidden className="mt-0.5 size-3" /> : <X aria-hidden className="mt-0.5 size-3" />}
          <span className="min-w-0 break-words">
            <span className="sr-only">{isPassed ? 'Passed: ' : 'Failed: '}</span>
            <VisibleText>{reason}</VisibleText>
          </span>
        </li>
      ))}
    </ul>
  )

/** A message as Markdown, a state as the JSON that it is. */
function Answer({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  if (isJson(text))
    return <LongText text={text} limit={SHOWN} className="whitespace-pre-wrap break-words font-mono text-xs" />
  const isCut = !isWhole && text.length > SHOWN
  const shown = isCut ? beginningOf(text) : text
  return (
    <div className="text-sm">
      <MarkdownText text={isCut ? `${shown} …` : text} isOpen={isCut} />
      {isCut ? (
        <button type="button" className="mt-1 text-accent text-xs underline" onClick={() => setWhole(true)}>
          Show more ({count(text.length - shown.length)} characters)
        </button>
      ) : null}
    </div>
  )
}
const SHOWN = 600

/** Up to the last word that is whole. */
const beginningOf = (text: string) => text.slice(0, SHOWN).replace(/\s+\S*$/, '')

/** Long states are cut, and then no longer valid. */
function isJson(text: string): boolean {
  if (/^\{\s*"/.test(text)) return true
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** The last message of a run that goes on. */
function LiveOutput({ workspace, recording }: { workspace: string; recording: string }) {
  const store = useRunView(workspace, recording)
  useRunVersion(store)
  const said = messagesOf(store.view).filter(({ role, isRemoved }) => role === 'ai' && !isRemoved)
  const text = said.map(messageText).findLast((one) => one !== '') ?? ''
  return text.length <= SHOWN ? (
    <MarkdownText text={text} isOpen className="text-ink-2 text-sm" />
  ) : (
    <p className="whitespace-pre-wrap break-words text-ink-2 text-sm">
      <VisibleText>{text.slice(-SHOWN)}</VisibleText>
    </p>
  )
}

type RatingProps = Pick<Props, 'place' | 'pair' | 'reason' | 'onRated'>

function Rating({ place, pair, reason, onRated }: RatingProps) {
  const { subject, input } = pair
  // Its own copy: a note may be sent before the page has read the rating again.
  const [thumb, setThumb] = useState(pair.thumb)
  const [note, setNote] = useState(pair.note)
  const [isOpen, setOpen] = useState(pair.note !== '')
  const [told, setTold] = useState<string>()
  const { error, save } = useSave<{ isTraced: boolean; reason: string | null }>()
  const sending = useRef<{ next?: () => Promise<void> }>(undefined)
  /** After what is being sent. Of several that wait, the last has all values. */
  async function send(next: typeof thumb, what = 'Rating') {
    const one = () =>
      save(
        () => ratePair({ place, subject, input, thumb: next, note }),
        ({ isTraced, reason: why }) => {
          setTold(`${what} saved${isTraced ? ' here and in the trace' : why ? `, but not in the trace: ${why}` : ''}`)
          onRated()
        },
      )
    if (sending.current) {
      sending.current.next = one
      return
    }
    for (let now: typeof one | undefined = one; now; now = sending.current.next) {
      sending.current = {}
      await now()
    }
    sending.current = undefined
  }
  const thumbs = [
    { value: 1, label: 'Good answer', icon: <ThumbsUp aria-hidden /> },
    { value: -1, label: 'Bad answer', icon: <ThumbsDown aria-hidden /> },
  ] as const
  return (
    <div className="space-y-1">
      <span className="flex items-center gap-1">
        {thumbs.map(({ value, label, icon }) => (
          <Button
            key={value}
            variant="ghost"
            size="icon"
            aria-label={label}
            aria-pressed={thumb === value}
            className={cn(thumb === value && 'bg-accent-soft text-accent')}
            reason={reason}
            onClick={() => {
              const next = thumb === value ? null : value
              setOpen(true)
              setThumb(next)
              void send(next)
            }}
          >
            {icon}
          </Button>
        ))}
        {pair.ratedBy ? <span className="truncate text-ink-3 text-xs">by {pair.ratedBy}</span> : null}
      </span>
      {isOpen ? (
        <>
          <Textarea
            aria-label="Note"
            placeholder="Why?"
            rows={1}
            maxLength={MAX_NOTE}
            className="text-xs base:min-h-8"
            value={note}
            disabled={Boolean(reason)}
            onChange={({ target }) => setNote(target.value)}
            onBlur={() => note.trim() !== pair.note && void send(thumb, 'Note')}
          />
          <p role="status" className="text-ink-3 text-xs">
            {error ? error.message : told}
          </p>
        </>
      ) : null}
    </div>
  )
}
