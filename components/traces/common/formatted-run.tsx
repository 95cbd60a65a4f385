'use client'

import { memo, useMemo } from 'react'

import { count } from '@/lib/format/format'
import type { Flaw, TraceMessage } from '@/lib/traces/blocks/message'
import type { LoggedRun } from '@/lib/traces/detect'
import { usageOf } from '@/lib/traces/facts'
import { TRACE_FORMATS } from '@/lib/traces/formats'
import { leftoverOf } from '@/lib/traces/leftover'
import { type ReadRun, readRun } from '@/lib/traces/read-run'
import { type CallSettings, settingsOf } from '@/lib/traces/settings'

import { FlawList } from './flaw-list'
import { MessageList } from './message-list'
import { Found, JsonText, Rest, SideTitle } from './run-side'
import { SettingsView, settingTexts } from './settings-view'
import { type AboutAnswer, shownMessages } from './shown-messages'
import { shownTexts } from './shown-texts'

export const formatName = ({ format, because }: Pick<ReadRun, 'format' | 'because'>): string =>
  format ? `Read as ${TRACE_FORMATS[format].label} (${because})` : `No known message format (${because})`

type Props = { run: LoggedRun; isWhole?: boolean /** Whether to show format errors here. */; hasFlaws?: boolean }

/** The inputs and outputs of a run: as messages, documents or vectors if there are any, else as JSON. */
export const FormattedRun = memo(function FormattedRun({ run, isWhole, hasFlaws = true }: Props) {
  const read = useMemo(() => readRun(run), [run])
  const about = useMemo(() => ({ finish: read.finish, usage: usageOf(run) }), [read, run])
  const settings = useMemo(() => (read.inputs ? settingsOf(run) : undefined), [read, run])
  return (
    <div className="space-y-4">
      {hasFlaws ? <Flaws flaws={read.flaws} /> : null}
      <Side title="Inputs" value={run.inputs} messages={read.inputs} isWhole={isWhole} settings={settings} />
      {read.documents || read.vectors ? (
        <Found documents={read.documents} vectors={read.vectors} value={run.outputs} />
      ) : (
        <Side title="Outputs" value={run.outputs} messages={read.outputs} isWhole={isWhole} about={about} />
      )}
      {hasFlaws ? <p className="text-ink-3 text-xs">{formatName(read)}</p> : null}
    </div>
  )
})

type SideProps = {
  title: string
  value: unknown
  messages: readonly TraceMessage[] | undefined
  isWhole?: boolean | undefined
  about?: AboutAnswer
  settings?: CallSettings | undefined
}

function Side({ title, value, messages, isWhole, about, settings }: SideProps) {
  const isEmpty =
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  const shown = useMemo(() => messages && shownMessages(messages, about), [messages, about])
  const rest = useMemo(
    () => (shown ? leftoverOf(value, title.toLowerCase(), [...shownTexts(shown), ...settingTexts(settings)]) : []),
    [shown, value, title, settings],
  )
  return (
    <section aria-label={title}>
      <SideTitle title={title} amount={messages?.length} noun="message" finish={messages && about?.finish} />
      {settings ? <SettingsView settings={settings} /> : null}
      {shown ? (
        <MessageList messages={shown} isWhole={isWhole} />
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
