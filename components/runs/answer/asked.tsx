'use client'
import { useState } from 'react'
import { MarkdownText } from '@/components/shared/message/markdown/markdown-text'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { type AskedAction, readAsk } from '@/lib/stream/answers'
import { hasActions } from './answer-draft'

type ActionProps = { action: AskedAction }

/** Which action needs a decision, in the words of the graph. */
export const ActionName = ({ action: { name, description } }: ActionProps) => (
  <>
    <p className="font-medium font-mono text-xs">
      <VisibleText>{name || 'Action'}</VisibleText>
    </p>
    {description ? <Description text={description} /> : null}
  </>
)

export const ActionArgs = ({ action: { args } }: ActionProps) => (
  <div className="max-h-60 overflow-auto rounded-md border bg-sunken px-2.5 py-1.5 font-mono text-xs">
    <LongText text={jsonText(args ?? {})} limit={MOST} />
  </div>
)

const MOST = 4_000

/** Markdown, as other inboxes take it; a long one is plain text, which can be cut. */
const Description = ({ text }: { text: string }) =>
  text.length > MOST ? (
    <LongText text={text} limit={MOST} className="text-sm" />
  ) : (
    <MarkdownText text={text} className="text-sm" />
  )

/** A question where it cannot be answered: what is asked, and the answers that it offers. */
export function AskedOnly({ value }: { value: unknown }) {
  const ask = readAsk(value)
  if (hasActions(ask))
    return ask.actions.map((action, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the actions of a question never change order
      <div key={at} className="space-y-2 not-first:mt-3">
        <ActionName action={action} />
        <ActionArgs action={action} />
      </div>
    ))
  return (
    <>
      <Asked value={value} />
      {ask.kind === 'choice' ? (
        <ul aria-label="Answers offered" className="mt-2 flex flex-wrap gap-1.5">
          {ask.options.map((option) => (
            <li key={option} className="max-w-full break-words rounded-md border bg-panel px-2 py-0.5 text-xs">
              <VisibleText>{option}</VisibleText>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}

/** The question: its text first, then the rest, as JSON if it is nested. */
export function Asked({ value }: { value: unknown }) {
  if (typeof value === 'string') return <Folded text={value} limit={4_000} className="text-sm" />
  const question = isRecord(value) && typeof value.question === 'string' ? value.question : undefined
  const { question: _, options, ...rest } = isRecord(value) ? value : {}
  const isPlain = question !== undefined && (options === undefined || Array.isArray(options))
  const left = isPlain ? rest : value
  return (
    <div className="space-y-2">
      {isPlain ? <Folded text={question} limit={4_000} className="font-medium text-sm" /> : null}
      {isPlain && Object.keys(rest).length === 0 ? null : isPlain && isFlat(rest) ? (
        <dl className="space-y-2 rounded-md border bg-sunken px-2.5 py-1.5 text-sm">
          {Object.entries(rest).map(([key, one]) => (
            <div key={key}>
              <dt className="font-mono text-ink-3 text-xs">
                <VisibleText>{key}</VisibleText>
              </dt>
              <dd>
                <Folded text={typeof one === 'string' ? one : jsonText(one)} limit={8_000} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <div className="max-h-72 overflow-auto rounded-md border bg-sunken px-2.5 py-1.5 font-mono text-xs">
          <LongText text={jsonText(left)} limit={8_000} />
        </div>
      )}
    </div>
  )
}

/** More characters than six lines have, on small and on wide screens. */
const LONG = 320
const LONG_WHERE_WIDE = 800

/** The beginning of a long text, so that the answer below it is in view, and all of it on demand. */
function Folded({ text, limit, className }: { text: string; limit: number; className?: string }) {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || text.length <= LONG) return <LongText {...{ text, limit, className }} />
  return (
    <>
      <LongText {...{ text, limit }} className={cn(className, 'max-h-[7.5rem] overflow-hidden')} />
      <button
        type="button"
        className={cn('text-accent text-xs underline', text.length <= LONG_WHERE_WIDE && 'sm:hidden')}
        onClick={() => setWhole(true)}
      >
        Show all of it
      </button>
    </>
  )
}

const MOST_FIELDS = 8

/** Whether each of a few values is a text, a number or a boolean, which needs no JSON. */
const isFlat = (value: Record<string, unknown>): boolean =>
  Object.keys(value).length <= MOST_FIELDS &&
  Object.values(value).every((one) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean')
