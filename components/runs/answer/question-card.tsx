'use client'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Textarea } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { type Ask, readAsk } from '@/lib/stream/answers'
import { displayNamespace } from '@/lib/stream/namespaces'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { ActionFields } from './action-fields'
import { type AnswerDraft, hasActions } from './answer-draft'
import { Choices } from './choices'

type Props = {
  question: OpenInterrupt
  title: string
  draft: AnswerDraft
  onChange: (change: Partial<AnswerDraft>) => void
  /** The button that sends only this answer. */
  children?: ReactNode
}

const MODE_LABELS = { form: 'Form', text: 'Text', json: 'JSON' } as const

/** One interrupt of the graph with the form to answer it. */
export function QuestionCard({ question, title, draft, onChange, children }: Props) {
  const id = useId()
  const ask = useMemo(() => readAsk(question.value), [question.value])
  const modes = (['form', 'text', 'json'] as const).filter((mode) => mode !== 'form' || ask.kind !== 'any')
  return (
    <section aria-label={title} className="space-y-3 rounded-lg border bg-panel p-3">
      <header className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium text-sm">{title}</h3>
        {question.namespace.length > 0 ? (
          <Badge title="Subgraph">
            <VisibleText>{displayNamespace(question.namespace)}</VisibleText>
          </Badge>
        ) : null}
        <div className="ml-auto">
          <Choices
            name={`${id}-mode`}
            legend="Answer format"
            options={modes.map((value) => ({ value, label: MODE_LABELS[value] }))}
            value={draft.mode}
            onChange={(mode) => onChange({ mode })}
          />
        </div>
      </header>
      {hasActions(ask) && draft.mode === 'form' ? null : <Asked value={question.value} />}
      <Answer id={id} ask={ask} draft={draft} onChange={onChange} />
      {children}
    </section>
  )
}

/** The question: its text first, then the rest, as JSON if it is nested. */
function Asked({ value }: { value: unknown }) {
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

function Answer({ id, ask, draft, onChange }: { id: string; ask: Ask } & Pick<Props, 'draft' | 'onChange'>) {
  if (draft.mode === 'text')
    return (
      <Textarea
        aria-label="Answer"
        placeholder="Your answer"
        rows={3}
        value={draft.text}
        onChange={(event) => onChange({ text: event.target.value })}
      />
    )
  if (draft.mode === 'json')
    return (
      <JsonEditor
        label="Answer as JSON"
        value={draft.json}
        onChange={(json) => onChange({ json })}
        minHeight={90}
        maxHeight={320}
      />
    )
  if (ask.kind === 'choice')
    return (
      <Choices
        name={`${id}-choice`}
        legend="Answer"
        options={ask.options.map((option) => ({ value: option, label: option }))}
        value={draft.choice}
        onChange={(choice) => onChange({ choice })}
      />
    )
  if (!hasActions(ask)) return null
  return ask.actions.map((action, at) => {
    const own = draft.actions[at]
    return own ? (
      <ActionFields
        // biome-ignore lint/suspicious/noArrayIndexKey: the actions of a question never change order
        key={at}
        id={`${id}-${at}`}
        action={action}
        draft={own}
        onChange={(change) =>
          onChange({ actions: draft.actions.map((one, index) => (index === at ? { ...one, ...change } : one)) })
        }
      />
    ) : null
  })
}
