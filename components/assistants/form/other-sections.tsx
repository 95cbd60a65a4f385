'use client'
import { Field } from '@/components/ui/field'
import { Input, Textarea } from '@/components/ui/input'
import type { AssistantDraft } from '@/lib/contracts/agents/assistant-edit'
import { isRecord } from '@/lib/json/guards'
import { JsonField } from './json-field'
import { fieldId, useProblemAt } from './problems'

type Props = { draft: AssistantDraft; isNew: boolean; onChange: (part: Partial<AssistantDraft>) => void }

/** Name, description, config and metadata. */
export function OtherSections({ draft, isNew, onChange }: Props) {
  const name = useProblemAt(['name'])
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <section aria-label="About" className="flex flex-col gap-3 rounded-lg border bg-panel p-4">
        <Field id={fieldId(['name'])} label="Name" error={name.problem}>
          <Input
            id={fieldId(['name'])}
            autoComplete="off"
            aria-invalid={name.problem ? true : undefined}
            value={draft.name}
            onChange={({ target }) => {
              name.report(undefined)
              onChange({ name: target.value })
            }}
          />
        </Field>
        <Field id={fieldId(['description'])} label="Description">
          <Textarea
            id={fieldId(['description'])}
            rows={3}
            value={draft.description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        </Field>
      </section>
      <details className="rounded-lg border bg-panel p-4" open={Object.keys(draft.metadata).length > 0 || undefined}>
        <summary className="font-semibold text-sm">Metadata</summary>
        <p className="mt-1 mb-2 text-ink-2 text-xs">
          {isNew
            ? 'For searching. The graph does not see it.'
            : 'For searching. Keys can be changed and added but not removed.'}
        </p>
        <JsonField
          path={['metadata']}
          label="Metadata as JSON"
          value={draft.metadata}
          check={objectCheck}
          onChange={(next) => onChange({ metadata: isRecord(next) ? next : {} })}
        />
      </details>
      <details className="rounded-lg border bg-panel p-4" open={Object.keys(draft.config).length > 0 || undefined}>
        <summary className="font-semibold text-sm">Configuration</summary>
        <p className="mt-1 mb-2 text-ink-2 text-xs">
          tags, recursion_limit and, for older graphs, configurable. Some servers reject configurable together with
          context.
        </p>
        <JsonField
          path={['config']}
          label="Configuration as JSON"
          value={draft.config}
          check={objectCheck}
          onChange={(next) => onChange({ config: isRecord(next) ? next : {} })}
        />
      </details>
    </div>
  )
}

const objectCheck = (value: unknown) => (isRecord(value) ? undefined : 'Enter a JSON object.')
