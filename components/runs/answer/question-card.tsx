'use client'
import { type ReactNode, useId, useMemo } from 'react'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Textarea } from '@/components/ui/input'
import { type Ask, readAsk } from '@/lib/stream/answers'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { displayNamespace } from '@/lib/stream/wire/namespaces'
import { ActionFields } from './action-fields'
import { type AnswerDraft, hasActions } from './answer-draft'
import { Asked } from './asked'
import { Choices } from './choices'

type Props = {
  question: OpenInterrupt
  title: string
  draft: AnswerDraft
  onChange: (change: Partial<AnswerDraft>) => void
  /** One key answers with each choice. */
  hasKeys?: boolean
  /** The button that sends only this answer. */
  children?: ReactNode
}

const MODE_LABELS = { form: 'Form', text: 'Text', json: 'JSON' } as const

/** One interrupt of the graph with the form to answer it. */
export function QuestionCard({ question, title, draft, onChange, hasKeys, children }: Props) {
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
      <Answer {...{ id, ask, draft, onChange, hasKeys }} />
      {children}
    </section>
  )
}

type AnswerProps = { id: string; ask: Ask } & Pick<Props, 'draft' | 'onChange' | 'hasKeys'>

function Answer({ id, ask, draft, onChange, hasKeys }: AnswerProps) {
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
        hasKeys={hasKeys}
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
