import { memo } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import type { LogEntry } from '@/lib/stream/log'
import { displayNamespace, parseEventName } from '@/lib/stream/wire/namespaces'

export const EVENT_ROW_HEIGHT = 26
const MAX_PREVIEW = 240

type Props = {
  id: string
  entry: LogEntry
  startedAt: number
  isSelected: boolean
  onSelect: () => void
  /** Set if the row stands for all chunks of a message; then it can be unfolded. */
  fold?: { chunks: number; text: string }
  onUnfold: () => void
}

/** One log entry in a line: number, time since the start, mode, node, and the beginning of its data. */
export const EventRow = memo(
  function EventRow({ id, entry, startedAt, isSelected, onSelect, fold, onUnfold }: Props) {
    const name = entry.kind === 'event' ? parseEventName(entry.event) : undefined
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list that holds the row handles the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names this row as the active one
      <div
        id={id}
        role="option"
        aria-selected={isSelected}
        onClick={onSelect}
        className={cn(
          'flex cursor-default items-center gap-3 whitespace-nowrap px-3 font-mono text-xs [contain:strict]',
          isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
          entry.kind === 'gap' || entry.kind === 'joined' ? 'text-warn' : '',
        )}
        style={{ height: EVENT_ROW_HEIGHT }}
      >
        <span className="w-12 shrink-0 text-right text-ink-3 tabular-nums">{entry.seq}</span>
        <span className="hidden w-16 shrink-0 text-right text-ink-3 tabular-nums sm:block">
          +{(Math.max(0, entry.at - startedAt) / 1000).toFixed(2)} s
        </span>
        <span
          className="w-24 shrink-0 truncate font-medium text-ink-2 sm:w-32"
          title={entry.kind === 'event' ? entry.event : undefined}
        >
          <VisibleText>{name?.mode ?? entry.kind}</VisibleText>
        </span>
        {name && name.namespace.length > 0 ? (
          <span className="hidden max-w-40 shrink-0 truncate text-accent md:block" title={name.path}>
            <VisibleText>{displayNamespace(name.namespace)}</VisibleText>
          </span>
        ) : null}
        {fold ? (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys: → does the same
          // biome-ignore lint/a11y/noStaticElementInteractions: an option may hold no control of its own
          <span
            title="Show each chunk (→)"
            className="shrink-0 cursor-pointer rounded-full border px-1.5 text-2xs text-ink-3 hover:text-ink"
            onClick={(event) => {
              event.stopPropagation()
              onUnfold()
            }}
          >
            {count(fold.chunks)} chunks
          </span>
        ) : null}
        <span className="min-w-0 flex-1 truncate text-ink-2">
          <VisibleText>{fold ? fold.text : previewOf(entry)}</VisibleText>
        </span>
      </div>
    )
  },
  // Ignores the callbacks: they change with each render but always do the same.
  (before, after) =>
    before.entry === after.entry &&
    before.fold?.chunks === after.fold?.chunks &&
    before.isSelected === after.isSelected &&
    before.startedAt === after.startedAt &&
    before.id === after.id,
)

function previewOf(entry: LogEntry): string {
  switch (entry.kind) {
    case 'event':
      return entry.data.slice(0, MAX_PREVIEW)
    case 'gap':
      return `Output may be missing: ${entry.reason}`
    case 'joined':
      return 'The recording started after the run'
    case 'final':
      return `${entry.outcome}${entry.reason ? `: ${entry.reason}` : ''}`
  }
}
