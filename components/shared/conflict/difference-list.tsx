'use client'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { inSlices } from '@/components/shared/json/in-slices'
import { JsonRows, JsonTree } from '@/components/shared/json/json-tree'
import { useFixedRows } from '@/components/shared/layout/fixed-rows'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { differences } from '@/lib/json/difference'
import { type DifferenceSource, differenceSource, type ShownSide } from '@/lib/json/difference-source'
import { type DifferenceLine, MOST_SIDE_TEXT } from '@/lib/json/value-differences'

const ROW = 30
const KINDS: Record<DifferenceLine['kind'], { sign: string; word: string; style: string }> = {
  added: { sign: '+', word: 'added', style: 'text-ok' },
  removed: { sign: '−', word: 'removed', style: 'text-error' },
  changed: { sign: '~', word: 'changed', style: 'text-warn' },
  moved: { sign: '→', word: 'moved', style: 'text-progress' },
}

type Props = { label: string; differences: DifferenceSource; empty: ReactNode; className?: string }

/** Differences as a list, of which only visible rows are rendered, and the selected one with both values in full. */
export function DifferenceList({ empty, ...props }: Props) {
  const { differences, className } = props
  const { count, problem } = useSyncExternalStore(differences.subscribe, differences.getState, differences.getState)
  if (problem !== undefined) return <p className={cn('p-4 text-error text-sm', className)}>{problem}</p>
  if (count === undefined) return <Skeleton className="m-4 h-40" />
  if (count === 0) return <p className={cn('py-8 text-center text-ink-3 text-sm', className)}>{empty}</p>
  return <Lines {...props} length={count} />
}

function Lines({ label, differences, className, length }: Omit<Props, 'empty'> & { length: number }) {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useFixedRows(scroller, length, ROW)
  const [chosen, setChosen] = useState(0)
  const at = Math.min(chosen, length - 1)
  useLayoutEffect(() => differences.show(rows.first, rows.end), [differences, rows.first, rows.end])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = Math.max(0, Math.min(length - 1, at + step))
    setChosen(next)
    rows.scrollToRow(next)
  }
  const visible: ReactNode[] = []
  for (let index = rows.first; index < rows.end; index++) {
    const row = differences.lineAt(index)
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
        <Line {...row} />
      </div>,
    )
  }
  return (
    <div className={cn('flex min-h-0 flex-col', className)}>
      <p role="status" className="border-b px-3 py-1.5 text-ink-2 text-xs">
        {length === 1 ? '1 difference' : `${count(length)} differences`}
      </p>
      <div
        ref={scroller}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${at}`}
        onKeyDown={onKeyDown}
        className="relative min-h-0 overflow-y-auto overscroll-contain focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
        style={{ flex: `0 1 ${length * ROW}px`, minHeight: Math.min(4, length) * ROW }}
      >
        <div className="relative" style={{ height: rows.height }}>
          {visible}
        </div>
      </div>
      <div className="grid min-h-24 flex-1 border-t bg-sunken md:grid-cols-2">
        <Side label="Before" differences={differences} index={at} side="old" />
        <Side label="After" differences={differences} index={at} side="now" />
      </div>
    </div>
  )
}

function Line({ kind, path, text }: DifferenceLine) {
  const { sign, word, style } = KINDS[kind]
  return (
    <>
      <span className={cn('w-20 shrink-0 font-medium', style)}>
        <span aria-hidden>{sign} </span>
        {word}
      </span>
      <code className="min-w-0 max-w-[60%] shrink-0 truncate font-mono" title={path}>
        <VisibleText>{path}</VisibleText>
      </code>
      <span className="min-w-0 flex-1 truncate font-mono text-ink-3">
        <VisibleText>{text}</VisibleText>
      </span>
    </>
  )
}

type SideProps = { label: string; differences: DifferenceSource; index: number; side: 'old' | 'now' }

function Side({ label, differences, index, side }: SideProps) {
  const shown = useSide(differences, index, side)
  return (
    <section
      aria-label={label}
      className="flex min-h-24 min-w-0 flex-col border-line max-md:border-t md:[&+&]:border-l"
    >
      <p className="px-3 pt-1.5 text-ink-3 text-xs">{label}</p>
      {shown === 'coming' ? (
        <Skeleton className="mx-3 my-1 h-4 w-1/2" />
      ) : !shown ? (
        <p className="px-3 py-1 text-ink-3 text-xs">not set</p>
      ) : shown.source ? (
        <JsonRows source={shown.source} label={label} className="min-h-0 flex-1" />
      ) : shown.text === undefined ? (
        <JsonTree value={shown.value} label={label} className="min-h-0 flex-1" />
      ) : (
        <section
          aria-label={`${label}, in full`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
          tabIndex={0}
          className="min-h-0 flex-1 overflow-auto px-3 pb-2 font-mono text-xs focus-visible:-outline-offset-2"
        >
          <LongText text={shown.text} limit={MOST_SIDE_TEXT * 2} />
        </section>
      )}
    </section>
  )
}

/** One side of a difference, which may have to be fetched. Releases it when the component no longer shows it. */
function useSide(differences: DifferenceSource, index: number, side: 'old' | 'now'): ShownSide | 'coming' {
  const [shown, setShown] = useState<ShownSide | 'coming'>('coming')
  // A layout effect, so that values in memory are shown without a flash of the loading state.
  useLayoutEffect(() => {
    const asked = differences.side(index, side)
    if (!(asked instanceof Promise)) return setShown(asked)
    let isGone = false
    let release: (() => void) | undefined
    setShown('coming')
    asked.then(
      (found) => {
        if (isGone) return found?.release?.()
        release = found?.release
        setShown(found)
      },
      () => setShown(undefined),
    )
    return () => {
      isGone = true
      release?.()
    }
  }, [differences, index, side])
  return shown
}

/** The differences between two values; undefined until computed. */
export function useDifferences(old: unknown, now: unknown): DifferenceSource | undefined {
  const [found, setFound] = useState<{ old: unknown; now: unknown; differences: DifferenceSource }>()
  useEffect(
    () => inSlices(differences(old, now), (list) => setFound({ old, now, differences: differenceSource(list) })),
    [old, now],
  )
  return found && found.old === old && found.now === now ? found.differences : undefined
}
