'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { previewState } from '@/lib/actions/threads'
import type { CheckpointPlace } from '@/lib/contracts/agents/thread-edit'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { type Difference, differencesOf } from '@/lib/json/difference'
import { parseJson, printJson } from '@/lib/json/lossless'
import { isContainer, pathText, previewText, scalarText } from '@/lib/json/value'
import { pick } from './written-values'

const MOST_SHOWN = 60

type Props = {
  place: ThreadPlace
  base: CheckpointPlace
  /** The state before the write. */
  values: Readonly<Record<string, unknown>>
  /** What is written. */
  written: Readonly<Record<string, unknown>>
  asNode: string
}

type Result = { kind: 'asked' } | { kind: 'state'; values: unknown } | { kind: 'failed'; error: ErrorView }

/**
 * What a write sends, and what the state will be. Only the graph's reducers know the latter, so the server computes it on
 * request.
 */
export function StateReview({ place, base, values, written, asNode }: Props) {
  const [result, setResult] = useState<Result>()
  const names = Object.keys(written)
  const compute = async () => {
    setResult({ kind: 'asked' })
    const asked = previewState({ place, base, values: printJson(written), ...(asNode && { asNode }) })
    const found = await asked.catch((): Awaited<typeof asked> => ({ ok: false, error: LOST }))
    setResult(found.ok ? { kind: 'state', values: parseJson(found.data) } : { kind: 'failed', error: found.error })
  }
  const isComputed = result?.kind === 'state'
  const before = pick(values, names)
  const differences = differencesOf(before, isComputed ? result.values : written)
  return (
    <>
      <section aria-label="Review" className="rounded-lg border">
        <h3 className="border-b bg-sunken px-3 py-1.5 font-medium text-xs">
          {isComputed ? 'The state afterwards, computed by the server' : 'What is sent, before the graph’s reducers'} ·
          Node: {asNode || 'automatic'} · {names.join(', ')}
        </h3>
        <Differences
          // What is left out of a value is not removed yet: a reducer may append or merge.
          shown={isComputed ? differences : differences.filter(({ kind }) => kind !== 'removed')}
          empty={isComputed ? 'The state stays the same.' : 'Nothing new. The reducers decide what changes.'}
        />
      </section>
      {result?.kind === 'failed' ? <ErrorNotice error={result.error} /> : null}
      {isComputed ? null : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2 text-xs">
          <Button size="sm" isBusy={result?.kind === 'asked'} onClick={() => void compute()}>
            Compute result
          </Button>
          Reducers may append to lists such as messages, or merge them. The server tries it on a temporary copy of the
          thread.
        </div>
      )}
    </>
  )
}

function Differences({ shown, empty }: { shown: readonly Difference[]; empty: string }) {
  return (
    <ul
      aria-label="Changes"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      className="max-h-72 divide-y overflow-y-auto font-mono text-xs focus-visible:-outline-offset-2"
    >
      {shown.slice(0, MOST_SHOWN).map((one) => (
        <li key={`${one.kind} ${pathText(one.path)}`} className="break-all px-3 py-1">
          <span className="text-ink-3">{one.kind} </span>
          <VisibleText>{`${pathText(one.path)}: ${one.kind === 'changed' ? `${brief(one.old)} → ` : ''}${brief(one.kind === 'removed' ? one.old : one.now)}`}</VisibleText>
        </li>
      ))}
      {shown.length > MOST_SHOWN ? (
        <li className="px-3 py-1 text-ink-3">and {shown.length - MOST_SHOWN} more</li>
      ) : null}
      {shown.length === 0 ? <li className="px-3 py-1 text-ink-3">{empty}</li> : null}
    </ul>
  )
}

const brief = (value: unknown): string => (isContainer(value) ? previewText(value, 70) : scalarText(value, 70))

const LOST: ErrorView = { code: 'internal', message: 'The console did not respond.', fields: [], requestId: '' }
