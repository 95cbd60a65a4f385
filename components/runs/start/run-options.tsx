'use client'

import type { ReactNode } from 'react'
import { Checkbox } from '@/components/ui/checkbox'
import { cn } from '@/lib/cn'
import { OFFERED_STREAM_MODES, type OfferedStreamMode } from '@/lib/contracts/wire/stream-modes'
import { ContextOption } from './context-option'
import { IssueList } from './issue-list'
import { MoreOptionsFields } from './more-options-fields'
import { MULTITASK_CHOICES } from './option-labels'
import type { StartField, StartIssue } from './start-issues'
import type { StartOptions } from './start-options'

/** The name of each stream mode, and what it sends. */
const MODES: Record<OfferedStreamMode, readonly [string, string]> = {
  'messages-tuple': ['Tokens', 'Model output, token by token'],
  values: ['Values', 'Full state after each step'],
  updates: ['Updates', 'Changes made by each node'],
  custom: ['Custom', 'Custom data from the graph'],
  tasks: ['Tasks', 'Start and end of each node'],
  checkpoints: ['Checkpoints', 'Every checkpoint'],
  debug: ['Debug', 'Detailed debug events'],
  events: ['Events', 'Callbacks of models and tools'],
}

type Props = {
  options: StartOptions
  issuesOf: (field: StartField) => readonly StartIssue[]
  onChange: (change: Partial<StartOptions>) => void
  /** A form for the context in place of the JSON field. */
  contextForm?: ReactNode
  /** For several assistants, each of which has a context of its own. */
  isShared?: boolean
}

/** Stream modes, what to do if the thread is busy, and context for this run. */
export function RunOptions({ options, issuesOf, onChange, contextForm, isShared }: Props) {
  const toggle = (mode: StartOptions['modes'][number], isOn: boolean) =>
    onChange({ modes: isOn ? [...options.modes, mode] : options.modes.filter((one) => one !== mode) })
  const whyNoMultitask = options.threadKind === 'existing' ? undefined : 'Only existing threads can be busy.'
  return (
    <div className="space-y-5">
      <fieldset>
        <legend className="mb-1.5 font-medium text-xs">Stream modes</legend>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-x-3 gap-y-1.5">
          {OFFERED_STREAM_MODES.map((mode) => (
            <Checkbox
              key={mode}
              label={MODES[mode][0]}
              hint={MODES[mode][1]}
              checked={options.modes.includes(mode)}
              onChange={(event) => toggle(mode, event.target.checked)}
            />
          ))}
        </div>
        <IssueList id="start-modes-issues" issues={issuesOf('modes')} />
      </fieldset>
      <Checkbox
        label="Include subgraphs"
        hint="Also stream events of nested graphs."
        checked={options.subgraphs}
        onChange={(event) => onChange({ subgraphs: event.target.checked })}
      />
      <fieldset disabled={!!whyNoMultitask}>
        <legend className="mb-1.5 font-medium text-xs">If the thread is busy</legend>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-x-3 gap-y-1.5">
          {MULTITASK_CHOICES.map(({ value, label, hint }) => (
            <label key={value} className={cn('flex items-start gap-2 text-sm', whyNoMultitask && 'opacity-60')}>
              <input
                type="radio"
                name="multitask"
                className="mt-[3px] size-3.5 shrink-0 accent-accent"
                checked={options.multitask === value}
                onChange={() => onChange({ multitask: value })}
              />
              <span className="min-w-0">
                {label} <code className="font-mono text-ink-3 text-xs">{value}</code>
                <span className="block text-ink-3 text-xs">{hint}</span>
              </span>
            </label>
          ))}
        </div>
        {whyNoMultitask ? <p className="mt-1.5 text-ink-3 text-xs">{whyNoMultitask}</p> : null}
        <IssueList id="start-multitask-issues" issues={issuesOf('multitask')} />
      </fieldset>
      {isShared ? null : (
        <ContextOption
          value={options.context}
          issues={issuesOf('context')}
          onChange={(context) => onChange({ context })}
          form={contextForm}
        />
      )}
      <MoreOptionsFields
        more={options.more}
        issues={issuesOf('more')}
        onChange={(more) => onChange({ more })}
        isShared={isShared}
      />
    </div>
  )
}
