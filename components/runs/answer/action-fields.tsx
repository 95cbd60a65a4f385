'use client'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { Textarea } from '@/components/ui/input'
import type { AskedAction, Verb } from '@/lib/stream/answers'
import type { ActionDraft } from './answer-draft'
import { ActionArgs, ActionName } from './asked'
import { Choices } from './choices'

const VERB_LABELS: Record<Verb, string> = { approve: 'Approve', edit: 'Edit', respond: 'Respond', reject: 'Reject' }
const VERB_HINTS: Record<Verb, string> = {
  approve: 'Runs unchanged.',
  edit: 'Runs with your changes.',
  respond: 'Does not run. Your reply is used as the result.',
  reject: 'Does not run.',
}

type Props = {
  id: string
  action: AskedAction
  draft: ActionDraft
  onChange: (change: Partial<ActionDraft>) => void
}

/** One action that needs a decision, with its arguments. */
export function ActionFields({ id, action, draft, onChange }: Props) {
  const { verb } = draft
  return (
    <div className="space-y-2">
      <ActionName action={action} />
      {verb === 'edit' ? (
        <JsonEditor
          label={`Arguments of ${action.name || 'the action'}`}
          value={draft.args}
          onChange={(args) => onChange({ args })}
          minHeight={90}
          maxHeight={320}
        />
      ) : (
        <ActionArgs action={action} />
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
