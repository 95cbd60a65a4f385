'use client'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { MarkdownText } from '@/components/shared/message/markdown/markdown-text'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Textarea } from '@/components/ui/input'
import { jsonText } from '@/lib/json/value'
import type { AskedAction, Verb } from '@/lib/stream/answers'
import type { ActionDraft } from './answer-draft'
import { Choices } from './choices'

const VERB_LABELS: Record<Verb, string> = { approve: 'Approve', edit: 'Edit', respond: 'Respond', reject: 'Reject' }
const VERB_HINTS: Record<Verb, string> = {
  approve: 'Runs unchanged.',
  edit: 'Runs with the arguments below.',
  respond: 'Does not run. Your reply is used as the result.',
  reject: 'Does not run.',
}

type Props = {
  id: string
  action: AskedAction
  draft: ActionDraft
  onChange: (change: Partial<ActionDraft>) => void
}

const MOST = 4_000

/** Markdown, as other inboxes take it; a long one is plain text, which can be cut. */
const Description = ({ text }: { text: string }) =>
  text.length > MOST ? (
    <LongText text={text} limit={MOST} className="text-sm" />
  ) : (
    <MarkdownText text={text} className="text-sm" />
  )

/** One action that needs a decision, with its arguments. */
export function ActionFields({ id, action, draft, onChange }: Props) {
  const { verb } = draft
  return (
    <div className="space-y-2">
      <p className="font-medium font-mono text-xs">
        <VisibleText>{action.name || 'Action'}</VisibleText>
      </p>
      {action.description ? <Description text={action.description} /> : null}
      {verb === 'edit' ? (
        <JsonEditor
          label={`Arguments of ${action.name || 'the action'}`}
          value={draft.args}
          onChange={(args) => onChange({ args })}
          minHeight={90}
          maxHeight={320}
        />
      ) : (
        <div className="max-h-60 overflow-auto rounded-md border bg-sunken px-2.5 py-1.5 font-mono text-xs">
          <LongText text={jsonText(action.args ?? {})} limit={MOST} />
        </div>
      )}
      <Choices
        name={`${id}-verb`}
        legend={`What to do with ${action.name || 'the action'}`}
        options={action.verbs.map((value) => ({ value, label: VERB_LABELS[value] }))}
        value={verb}
        onChange={(value) => onChange({ verb: value })}
      />
      {verb ? <p className="text-ink-3 text-xs">{VERB_HINTS[verb]}</p> : null}
      {verb === 'respond' || verb === 'reject' ? (
        <Textarea
          aria-label={verb === 'respond' ? 'Reply' : 'Reason (optional)'}
          placeholder={verb === 'respond' ? 'Reply' : 'Reason (optional)'}
          rows={3}
          value={draft.message}
          onChange={(event) => onChange({ message: event.target.value })}
        />
      ) : null}
    </div>
  )
}
