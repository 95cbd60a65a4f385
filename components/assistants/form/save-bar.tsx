import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import type { Difference } from '@/lib/json/difference'
import { isContainer, pathText, previewText, scalarText } from '@/lib/json/value'

const MOST_SHOWN = 40

type Props = {
  differences: readonly Difference[]
  /** The number of the version that saving creates; undefined for a new assistant. */
  next: number | undefined
  isSending: boolean
  reason: string | undefined
  onDiscard: () => void
}

/** The Save button with a list of the changes it sends. */
export function SaveBar({ differences, next, isSending, reason, onDiscard }: Props) {
  const number = differences.length
  return (
    <section
      aria-label="Save"
      className="sticky bottom-0 z-10 mt-4 flex flex-wrap items-start gap-x-4 gap-y-2 rounded-lg border bg-panel px-4 py-3 shadow-pop"
    >
      <div className="min-w-0 flex-1 basis-80 text-xs">
        <p role="status">
          {next === undefined
            ? 'Saving creates the assistant with version 1.'
            : `Saving creates version ${next} and activates it: new runs use it. Earlier versions are kept.`}
        </p>
        {next !== undefined && number > 0 ? (
          <details className="mt-1">
            <summary className="text-ink-2">{number === 1 ? '1 change' : `${number} changes`} in the draft</summary>
            <ul
              aria-label="Changes"
              className="mt-1 max-h-48 overflow-y-auto rounded-md border bg-sunken px-2 py-1 font-mono"
            >
              {differences.slice(0, MOST_SHOWN).map((one) => (
                <li key={`${one.kind} ${pathText(one.path)}`} className="break-all">
                  <span className="text-ink-3">{one.kind} </span>
                  <VisibleText>{`${pathText(one.path)}${wordsOf(one)}`}</VisibleText>
                </li>
              ))}
              {number > MOST_SHOWN ? <li className="text-ink-3">and {number - MOST_SHOWN} more</li> : null}
            </ul>
          </details>
        ) : null}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={number === 0 || isSending} onClick={onDiscard}>
          Discard
        </Button>
        <Button type="submit" variant="primary" isBusy={isSending} reason={reason}>
          {next === undefined ? 'Create assistant' : `Save as version ${next}`}
        </Button>
      </div>
    </section>
  )
}

const brief = (value: unknown) => (isContainer(value) ? previewText(value, 50) : scalarText(value, 50))
const wordsOf = ({ kind, from, old, now }: Difference): string => {
  if (kind === 'moved') return from ? ` from ${pathText(from)}` : ''
  return kind === 'changed' ? `: ${brief(old)} → ${brief(now)}` : `: ${brief(kind === 'added' ? now : old)}`
}
