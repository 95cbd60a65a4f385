'use client'

import { memo, useMemo } from 'react'
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
import { type ShownSide, shownRun } from './shown-run'

export const formatName = ({ format, because }: Pick<ReadRun, 'format' | 'because'>): string =>
  format ? `Read as ${TRACE_FORMATS[format].label} (${because})` : `No known message format (${because})`

type Props = { run: LoggedRun; isWhole?: boolean /** Whether to show format errors here. */; hasFlaws?: boolean }

/** The inputs and outputs of a run: as messages, documents or vectors if there are any, else as JSON. */
export const FormattedRun = memo(function FormattedRun({ run, isWhole, hasFlaws = true }: Props) {
  const { read, settings, inputs, outputs } = useMemo(() => shownRun(run), [run])
  return (
    <div className="space-y-4">
      {hasFlaws ? <Flaws flaws={read.flaws} /> : null}
      <Side title="Inputs" side={inputs} amount={read.inputs?.length} isWhole={isWhole} settings={settings} />
      {read.documents || read.vectors ? (
        <Found documents={read.documents} vectors={read.vectors} value={run.outputs} />
      ) : (
        <Side title="Outputs" side={outputs} amount={read.outputs?.length} isWhole={isWhole} finish={read.finish} />
      )}
      {hasFlaws && !(read.documents || read.vectors) ? <p className="text-ink-3 text-xs">{formatName(read)}</p> : null}
    </div>
  )
})

type SideProps = {
  title: string
  side: ShownSide
  amount: number | undefined
  isWhole?: boolean | undefined
  finish?: Finish | undefined
  settings?: CallSettings | undefined
}

function Side({ title, side: { value, messages, rest }, amount, isWhole, finish, settings }: SideProps) {
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
