'use client'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format'
import { type Difference, shortJson } from '@/lib/json-difference'
import { useFixedRows } from './fixed-rows'
import { JsonTree } from './json-tree'
import { isContainer, jsonText, pathText, previewText, scalarText } from './json-value'
import { LongText } from './long-text'
import { VisibleText } from './visible-text'

const ROW = 30
const KINDS: Record<Difference['kind'], { sign: string; word: string; style: string }> = {
  added: { sign: '+', word: 'added', style: 'text-ok' },
  removed: { sign: '−', word: 'removed', style: 'text-error' },
  changed: { sign: '~', word: 'changed', style: 'text-warn' },
  moved: { sign: '→', word: 'moved', style: 'text-progress' },
}

type Props = { label: string; differences: readonly Difference[]; empty: ReactNode; className?: string }

/** What differs, a line each, of which only those in sight are drawn; the chosen one with both its values in full. */
export function DifferenceList({ label, differences, empty, className }: Props) {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useFixedRows(scroller, differences.length, ROW)
  const [chosen, setChosen] = useState(0)
  const at = Math.min(chosen, differences.length - 1)
  const one = differences[at]
  if (!one) return <p className={cn('py-8 text-center text-ink-3 text-sm', className)}>{empty}</p>
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = Math.max(0, Math.min(differences.length - 1, at + step))
    setChosen(next)
    rows.scrollToRow(next)
  }
  const visible: ReactNode[] = []
  for (let index = rows.first; index < rows.end; index++) {
    const row = differences[index]
    if (!row) continue
    visible.push(
      <div
        key={index}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === at}
        tabIndex={-1}
        onClick={() => setChosen(index)}
        onKeyDown={undefined}
        className={cn(
          'absolute inset-x-0 flex cursor-default items-center gap-2 px-3 text-xs',
          index === at ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
        style={{ top: rows.topOf(index), height: ROW }}
      >
        <DifferenceLine {...row} />
      </div>,
    )
  }
  return (
    <div className={cn('flex min-h-0 flex-col', className)}>
      <p role="status" className="border-b px-3 py-1.5 text-ink-2 text-xs">
        {differences.length === 1 ? '1 difference' : `${count(differences.length)} differences`}
      </p>
      <div
        ref={scroller}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${at}`}
        onKeyDown={onKeyDown}
        className="relative min-h-0 overflow-y-auto overscroll-contain focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
        style={{ flex: `0 1 ${differences.length * ROW}px`, minHeight: Math.min(4, differences.length) * ROW }}
      >
        <div className="relative" style={{ height: rows.height }}>
          {visible}
        </div>
      </div>
      <div className="grid min-h-24 flex-1 border-t bg-sunken md:grid-cols-2">
        <Side label="Before" isThere={one.kind !== 'added'} value={one.old} />
        <Side label="After" isThere={one.kind !== 'removed'} value={one.now} />
      </div>
    </div>
  )
}

function DifferenceLine({ kind, path, from, old, now }: Difference) {
  const { sign, word, style } = KINDS[kind]
  return (
    <>
      <span className={cn('w-20 shrink-0 font-medium', style)}>
        <span aria-hidden>{sign} </span>
        {word}
      </span>
      <code className="min-w-0 max-w-[60%] shrink-0 truncate font-mono" title={pathText(path)}>
        <VisibleText>{pathText(path)}</VisibleText>
      </code>
      <span className="min-w-0 flex-1 truncate font-mono text-ink-3">
        <VisibleText>
          {kind === 'moved' && from
            ? `from ${pathText(from)}`
            : kind === 'changed'
              ? `${brief(old)} → ${brief(now)}`
              : brief(kind === 'added' ? now : old)}
        </VisibleText>
      </span>
    </>
  )
}

const brief = (value: unknown): string => (isContainer(value) ? previewText(value, 60) : scalarText(value, 60))

/** Text of at most so many characters is shown as such; what is larger as a tree that copies nothing. */
const MOST_TEXT = 4_000

function Side({ label, isThere, value }: { label: string; isThere: boolean; value: unknown }) {
  const isLarge = isThere && isContainer(value) && shortJson(value, MOST_TEXT) === undefined
  return (
    <section
      aria-label={label}
      className="flex min-h-24 min-w-0 flex-col border-line max-md:border-t md:[&+&]:border-l"
    >
      <p className="px-3 pt-1.5 text-ink-3 text-xs">{label}</p>
      {!isThere ? (
        <p className="px-3 py-1 text-ink-3 text-xs">not there</p>
      ) : isLarge ? (
        <JsonTree value={value} label={label} className="min-h-0 flex-1" />
      ) : (
        <section
          aria-label={`${label}, in full`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard too
          tabIndex={0}
          className="min-h-0 flex-1 overflow-auto px-3 pb-2 font-mono text-xs focus-visible:-outline-offset-2"
        >
          <LongText text={typeof value === 'string' ? value : jsonText(value)} limit={MOST_TEXT * 2} />
        </section>
      )}
    </section>
  )
}
