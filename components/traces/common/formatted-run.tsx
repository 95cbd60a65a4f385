'use client'

import { memo, useMemo } from 'react'
import { LongText } from '@/components/shared/text/long-text'
import { count } from '@/lib/format/format'
import { jsonText } from '@/lib/json/value'
import type { LoggedRun } from '@/lib/traces/detect'
import { TRACE_FORMATS } from '@/lib/traces/formats'
import type { Flaw, TraceMessage } from '@/lib/traces/message'
import { type ReadRun, readRun } from '@/lib/traces/read-run'
import { FlawList } from './flaw-list'
import { MessageList } from './message-list'

export const formatName = ({ format, because }: Pick<ReadRun, 'format' | 'because'>): string =>
  format ? `Read as ${TRACE_FORMATS[format].label} (${because})` : `No known message format (${because})`

type Props = { run: LoggedRun; isWhole?: boolean /** Whether to show format errors here. */; hasFlaws?: boolean }

/** The inputs and outputs of a run: as messages if there are any, else as JSON. */
export const FormattedRun = memo(function FormattedRun({ run, isWhole, hasFlaws = true }: Props) {
  const read = useMemo(() => readRun(run), [run])
  return (
    <div className="space-y-4">
      {hasFlaws ? <Flaws flaws={read.flaws} /> : null}
      <Side title="Inputs" value={run.inputs} messages={read.inputs} isWhole={isWhole} />
      <Side title="Outputs" value={run.outputs} messages={read.outputs} isWhole={isWhole} />
      {hasFlaws ? <p className="text-ink-3 text-xs">{formatName(read)}</p> : null}
    </div>
  )
})

type SideProps = { title: string; value: unknown; messages: readonly TraceMessage[] | undefined; isWhole?: boolean }

function Side({ title, value, messages, isWhole }: SideProps) {
  const isEmpty =
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  return (
    <section aria-label={title}>
      <p className="mb-1.5 font-medium text-ink-2 text-xs">
        {title}
        {messages ? (
          <span className="font-normal text-ink-3">
            {' '}
            {count(messages.length)} {messages.length === 1 ? 'message' : 'messages'}
          </span>
        ) : null}
      </p>
      {messages ? (
        <MessageList messages={messages} isWhole={isWhole} />
      ) : isEmpty ? (
        <p className="text-ink-3 text-xs">Nothing logged.</p>
      ) : (
        <LongText
          text={typeof value === 'string' ? value : jsonText(value)}
          className="rounded-md border bg-sunken/60 p-2 font-mono text-xs"
        />
      )}
    </section>
  )
}

/** All format errors by path. The affected parts are still shown. */
function Flaws({ flaws }: { flaws: readonly Flaw[] }) {
  if (flaws.length === 0) return null
  return (
    <details className="rounded-md border border-warn/30 bg-warn-soft px-3 py-2 text-sm">
      <summary>{flaws.length === 1 ? '1 part does' : `${count(flaws.length)} parts do`} not match the format</summary>
      <FlawList flaws={flaws} limit={50} />
    </details>
  )
}
