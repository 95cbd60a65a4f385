'use client'

import { memo } from 'react'
import { Skeleton } from '@/components/ui/loading'
import { count } from '@/lib/format/format'
import type { Flaw } from '@/lib/traces/blocks/message'
import type { LoggedRun } from '@/lib/traces/detect'
import type { Finish } from '@/lib/traces/finish'
import { TRACE_FORMATS } from '@/lib/traces/formats'
import type { ReadRun } from '@/lib/traces/read-run'
import type { CallSettings } from '@/lib/traces/settings'
import { FlawList } from './flaw-list'
import { MessageList } from './message-list'
import { Found, JsonText, Rest, SideTitle } from './run-side'
import { SettingsView } from './settings-view'
import type { ShownSide } from './shown-run'
import { useRunView } from './use-run-view'

export const formatName = ({ format, because }: Pick<ReadRun, 'format' | 'because'>): string =>
  format ? `Read as ${TRACE_FORMATS[format].label} (${because})` : `No known message format (${because})`

type Props = { run: LoggedRun; isWhole?: boolean /** Whether to show format errors here. */; hasFlaws?: boolean }

/** The inputs and outputs of a run: as messages, documents or vectors if there are any, else as JSON. */
export const FormattedRun = memo(function FormattedRun({ run, isWhole, hasFlaws = true }: Props) {
  const view = useRunView(run)
  if (!view)
    return (
      <div role="status" aria-label="Reading the messages" className="space-y-2">
        <Skeleton className="h-12 w-full" />
        <Skeleton className="h-12 w-2/3" />
      </div>
    )
  const { read, settings, inputs, outputs } = view
  return (
    <div className="space-y-4">
      {hasFlaws ? <Flaws flaws={read.flaws} /> : null}
      <Side title="Inputs" side={inputs} value={run.inputs} isWhole={isWhole} settings={settings} />
      {read.documents || read.vectors ? (
        <Found documents={read.documents} vectors={read.vectors} value={run.outputs} />
      ) : (
        <Side title="Outputs" side={outputs} value={run.outputs} isWhole={isWhole} finish={read.finish} />
      )}
      {hasFlaws && !(read.documents || read.vectors) ? <p className="text-ink-3 text-xs">{formatName(read)}</p> : null}
    </div>
  )
})

type SideProps = {
  title: string
  side: ShownSide
  /** As it was logged, for a side without messages. */
  value: unknown
  isWhole?: boolean | undefined
  finish?: Finish | undefined
  settings?: CallSettings | undefined
}

function Side({ title, side: { messages, amount, rest }, value, isWhole, finish, settings }: SideProps) {
  const isEmpty =
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  return (
    <section aria-label={title}>
      <SideTitle title={title} amount={amount} noun="message" finish={finish} />
      {settings ? <SettingsView settings={settings} /> : null}
      {messages ? (
        <MessageList messages={messages} isWhole={isWhole} />
      ) : isEmpty ? (
        <p className="text-ink-3 text-xs">Nothing logged.</p>
      ) : (
        <JsonText value={value} />
      )}
      {rest.length > 0 ? <Rest found={rest} /> : null}
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
