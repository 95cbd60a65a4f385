'use client'

import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ForkAt } from '@/components/runs/view/fork-at'
import { MomentLinks } from '@/components/runs/view/moment-links'
import type { RunStore } from '@/components/runs/view/run-store'
import { JsonTree } from '@/components/shared/json/json-tree'
import { useSheet } from '@/components/shared/list/use-sheet'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { cn } from '@/lib/cn'
import { byteSize } from '@/lib/format/format'
import { parseJson } from '@/lib/json/lossless'
import type { LogEntry } from '@/lib/stream/log'

/** One entry in full: its data as a tree, or raw as received. */
export function EventDetail({
  store,
  entry,
  onClose,
  className,
}: {
  store: RunStore
  entry: LogEntry
  onClose: () => void
  className?: string
}) {
  const [isRaw, setRaw] = useState(false)
  const sheet = useSheet(onClose)
  const raw = rawOf(entry)
  const parsed = useMemo(() => tryParse(raw), [raw])
  const showsRaw = isRaw || !parsed
  return (
    <section
      ref={sheet}
      tabIndex={-1}
      aria-label={`Entry ${entry.seq}`}
      className={cn('flex min-h-0 min-w-0 flex-col outline-none', className)}
    >
      <header className="flex items-center gap-2 border-b px-2 py-1.5 text-xs">
        <span className="text-ink-3 tabular-nums">{entry.seq}</span>
        <code
          className="min-w-0 flex-1 truncate font-medium font-mono"
          title={entry.kind === 'event' ? entry.event : entry.kind}
        >
          <VisibleText>{entry.kind === 'event' ? entry.event : entry.kind}</VisibleText>
        </code>
        <time dateTime={new Date(entry.at).toISOString()} className="hidden text-ink-3 tabular-nums sm:block">
          {new Date(entry.at).toISOString().slice(11, 23)}
        </time>
        <span className="text-ink-3 tabular-nums">{byteSize(raw.length)}</span>
        <MomentLinks seq={entry.seq} from="events" />
        <CopyButton value={raw} what="raw data" />
        <Button size="sm" variant="ghost" aria-pressed={showsRaw} disabled={!parsed} onClick={() => setRaw(!isRaw)}>
          Raw
        </Button>
        <Button size="icon" variant="ghost" aria-label="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      <div className="border-b px-2 py-0.5 empty:hidden">
        <ForkAt store={store} seq={entry.seq} />
      </div>
      {showsRaw ? (
        <div className="min-h-0 flex-1 overflow-auto p-3 font-mono text-xs">
          <LongText key={entry.seq} text={raw} limit={20_000} />
        </div>
      ) : (
        <JsonTree
          key={entry.seq}
          value={parsed.value}
          label={`Data of entry ${entry.seq}`}
          className="min-h-0 flex-1"
        />
      )}
    </section>
  )
}

const rawOf = (entry: LogEntry): string =>
  entry.kind === 'event'
    ? entry.data
    : 'state' in entry && entry.state !== undefined
      ? entry.state
      : JSON.stringify(entry)

function tryParse(text: string): { value: unknown } | undefined {
  try {
    return { value: parseJson(text) }
  } catch {
    return undefined
  }
}
