'use client'

import { useMemo, useState } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { FlawList } from '@/components/traces/common/flaw-list'
import { timeText } from '@/components/traces/common/format'
import { FormattedRun, formatName } from '@/components/traces/common/formatted-run'
import { Select } from '@/components/ui/input'
import { count } from '@/lib/format/format'
import type { LoggedRun } from '@/lib/traces/detect'
import { modelOf, providerOf, timeToFirstToken, usageOf } from '@/lib/traces/facts'
import { type FoundRun, findRuns, runFlaws } from '@/lib/traces/logged-runs'
import { readRun } from '@/lib/traces/read-run'

const MAX_LISTED = 1_000

/** The runs found in a value, and the selected one in full. */
export function CheckedRuns({ value }: { value: unknown }) {
  const { runs, as } = useMemo(() => findRuns(value), [value])
  const [index, setIndex] = useState(0)
  const chosen = runs[index] ?? runs[0]
  if (!chosen) return <Notice>No run found in {as}.</Notice>
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-2 text-ink-2 text-sm">
        <span>Read as {as}.</span>
        {runs.length > 1 ? (
          <Select
            aria-label="Run"
            className="w-auto max-w-full"
            value={index}
            onChange={({ target }) => setIndex(Number(target.value))}
          >
            {runs.slice(0, MAX_LISTED).map(({ run, path }, at) => (
              <option key={path} value={at}>
                {path} {String(run.name ?? '').slice(0, 80)}
              </option>
            ))}
          </Select>
        ) : null}
        {runs.length > MAX_LISTED ? (
          <span>
            Only the first {count(MAX_LISTED)} of {count(runs.length)} can be chosen.
          </span>
        ) : null}
      </div>
      <CheckedRun key={chosen.path} {...chosen} />
    </div>
  )
}

function CheckedRun({ run }: FoundRun) {
  const read = useMemo(() => readRun(run), [run])
  const own = useMemo(() => runFlaws(run as LoggedRun & Record<string, unknown>), [run])
  const flaws = [...own, ...read.flaws]
  return (
    <>
      {flaws.length === 0 ? (
        <Notice tone="ok">{formatName(read)}. No problems found.</Notice>
      ) : (
        <Notice tone="warn">
          <p>
            {formatName(read)}. {flaws.length === 1 ? '1 problem' : `${count(flaws.length)} problems`}:
          </p>
          <FlawList flaws={flaws} limit={100} label="Problems" />
        </Notice>
      )}
      <Facts run={run} />
      <div className="rounded-lg border bg-panel p-3">
        <FormattedRun run={run} hasFlaws={false} />
      </div>
    </>
  )
}

/** The model, tokens and times of a run; a dash if unknown. */
function Facts({ run }: { run: LoggedRun }) {
  const usage = usageOf(run)
  const items: [string, string][] = [
    ['Model', modelOf(run) ?? '–'],
    ['Provider', providerOf(run) ?? '–'],
    ['Tokens', usage ? `${count(usage.total)} (${count(usage.input)} in, ${count(usage.output)} out)` : '–'],
    ['First token', timeText(timeToFirstToken(run))],
  ]
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-1 text-sm sm:grid-cols-4">
      {items.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-ink-3 text-xs">{name}</dt>
          <dd className="truncate tabular-nums" title={value}>
            <VisibleText>{value}</VisibleText>
          </dd>
        </div>
      ))}
    </dl>
  )
}
