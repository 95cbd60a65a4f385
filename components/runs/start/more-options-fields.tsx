'use client'
import { useId } from 'react'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { DURABILITIES } from '@/lib/contracts/agents/run-options'
import { IssueList } from './issue-list'
import { MORE_LABELS } from './option-labels'
import type { StartIssue } from './start-issues'
import type { MoreOptions } from './start-options'

type Props = {
  more: MoreOptions
  issues: readonly StartIssue[]
  onChange: (more: MoreOptions) => void
  /** Left out for runs whose end nobody else waits for. */
  hasWebhook?: boolean
  /** For several assistants, whose graphs have different nodes. */
  isShared?: boolean
}

const NODES = 'Names with commas between, or * for all.'
const HINTS = {
  interruptBefore: NODES,
  interruptAfter: NODES,
  recursionLimit: 'The most steps that the run may take.',
  tags: 'With commas between. Shown in traces.',
  webhook: 'A URL that is called when the run ends.',
} satisfies Partial<MoreOptions>
const TEXTS = Object.keys(HINTS) as (keyof typeof HINTS)[] // its own keys

/** Servers ignore a node that the graph does not have. */
const hintOf = (key: keyof typeof HINTS, isShared: boolean | undefined): string =>
  isShared && HINTS[key] === NODES ? `${NODES} An assistant without the node does not stop.` : HINTS[key]

/** Breakpoints, limits and labels of a run. */
export function MoreOptionsFields({ more, issues, onChange, hasWebhook = true, isShared }: Props) {
  const id = useId()
  return (
    <details open={issues.length > 0 || Object.values(more).some(Boolean) || undefined}>
      <summary className="font-medium text-xs">Breakpoints, limits, metadata</summary>
      <div className="mt-2 space-y-3">
        {TEXTS.filter((key) => hasWebhook || key !== 'webhook').map((key) => (
          <Field key={key} id={`${id}${key}`} label={MORE_LABELS[key]} hint={hintOf(key, isShared)}>
            <Input
              id={`${id}${key}`}
              value={more[key]}
              onChange={({ target }) => onChange({ ...more, [key]: target.value })}
            />
          </Field>
        ))}
        <Field id={`${id}durability`} label={MORE_LABELS.durability} hint="When checkpoints are written.">
          <Select
            id={`${id}durability`}
            value={more.durability}
            onChange={({ target }) => onChange({ ...more, durability: target.value })}
          >
            <option value="">Server default</option>
            {DURABILITIES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </Select>
        </Field>
        <div>
          <p className="mb-1 font-medium text-xs">{MORE_LABELS.metadata}</p>
          <JsonEditor
            label="Metadata as JSON"
            value={more.metadata}
            onChange={(metadata) => onChange({ ...more, metadata })}
            minHeight={60}
            maxHeight={200}
          />
        </div>
        <IssueList id={`${id}issues`} issues={issues} />
      </div>
    </details>
  )
}
