'use client'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { DURABILITIES } from '@/lib/contracts/agents/run-options'
import { IssueList } from './issue-list'
import type { StartIssue } from './start-issues'
import type { MoreOptions } from './start-options'

type Props = { more: MoreOptions; issues: readonly StartIssue[]; onChange: (more: MoreOptions) => void }

const TEXTS: readonly { key: keyof MoreOptions; label: string; hint: string }[] = [
  { key: 'interruptBefore', label: 'Stop before nodes', hint: 'Names with commas between, or * for all.' },
  { key: 'interruptAfter', label: 'Stop after nodes', hint: 'Names with commas between, or * for all.' },
  { key: 'recursionLimit', label: 'Recursion limit', hint: 'The most steps that the run may take.' },
  { key: 'tags', label: 'Tags', hint: 'With commas between. Shown in traces.' },
  { key: 'webhook', label: 'Webhook', hint: 'A URL that is called when the run ends.' },
]

/** Breakpoints, limits and labels of a run. */
export const MoreOptionsFields = ({ more, issues, onChange }: Props) => (
  <details open={issues.length > 0 || Object.values(more).some(Boolean) || undefined}>
    <summary className="font-medium text-xs">Breakpoints, limits, metadata</summary>
    <div className="mt-2 space-y-3">
      {TEXTS.map(({ key, label, hint }) => (
        <Field key={key} id={`start-${key}`} label={label} hint={hint}>
          <Input
            id={`start-${key}`}
            value={more[key]}
            onChange={({ target }) => onChange({ ...more, [key]: target.value })}
          />
        </Field>
      ))}
      <Field id="start-durability" label="Durability" hint="When checkpoints are written.">
        <Select
          id="start-durability"
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
        <p className="mb-1 font-medium text-xs">Metadata</p>
        <JsonEditor
          label="Metadata as JSON"
          value={more.metadata}
          onChange={(metadata) => onChange({ ...more, metadata })}
          minHeight={60}
          maxHeight={200}
        />
      </div>
      <IssueList id="start-more-issues" issues={issues} />
    </div>
  </details>
)
