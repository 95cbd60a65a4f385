'use client'
import { type ComponentProps, useMemo } from 'react'
import { InputSection } from '@/components/runs/start/input-section'
import { IssueList } from '@/components/runs/start/issue-list'
import { skeletonText } from '@/components/runs/start/schema/input-schema'
import type { GraphInput } from '@/components/runs/start/schema/read-input'
import { Checkbox } from '@/components/ui/checkbox'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { type ContextForm, ObjectField } from './context-field'

type Props = Pick<ComponentProps<typeof InputSection>, 'issues' | 'isForced' | 'onChange' | 'onForce'> & {
  input: GraphInput
  json: string | undefined
  /** Left out where the input is wanted as JSON. */
  Form?: ContextForm
}

/** The whole input in place of a message: as a form from the graph's schema, or as JSON. */
export function JsonInput({ input, json, Form, issues, isForced, onChange, onForce }: Props) {
  const { status, schema } = input
  const skeleton = useMemo(() => skeletonText(schema, Form !== undefined), [schema, Form])
  const text = json ?? skeleton
  if (Form && schema && isRecord(schema.properties) && Object.keys(schema.properties).length > 0)
    return (
      <section aria-label="Input" aria-describedby="start-input-issues" className="space-y-2">
        <ObjectField
          Form={Form}
          label="Input"
          of="this graph’s input"
          schema={schema}
          value={text}
          onChange={(next) => onChange({ json: printJson(next) })}
        />
        <IssueList id="start-input-issues" issues={issues} />
        {issues.length > 0 ? (
          <Checkbox
            label="Send without matching the schema"
            hint="Some graphs accept more than their schema says."
            checked={isForced}
            onChange={(event) => onForce(event.target.checked)}
          />
        ) : null}
      </section>
    )
  return (
    <InputSection
      // Whether it is a message instead is chosen beside Send.
      input={{ status: 'known', kind: 'json', hasMessages: false, schema }}
      message=""
      json={text}
      schemaNote={
        schema || status !== 'known' ? undefined : 'This graph has no input schema, so the input is not checked.'
      }
      {...{ issues, isForced, onChange, onForce }}
    />
  )
}
