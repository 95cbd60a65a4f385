import { useEffect, useMemo, useState } from 'react'
import { browserClock } from '@/components/runs/view/browser-clock'
import { Input, Select } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import type { RunView } from '@/lib/stream/run-view'
import { displayNamespace } from '@/lib/stream/wire/namespaces'
import { ROOT } from './event-filter'
import type { useEventFilter } from './use-event-filter'

type Props = { view: RunView; filter: ReturnType<typeof useEventFilter> }

/** Filters events by text, subgraph, node and mode, and orders them. */
export function EventFilterBar({ view, filter: search }: Props) {
  const { text, setText, keep, filter, change, isFolded, foldAll, isNewestFirst, reverse } = search
  const { places, nodes } = usePlaces(view)
  return (
    <>
      <TextFilter text={text} setText={setText} keep={keep} />
      {places.length > 0 || filter.place ? (
        <Select
          aria-label="Subgraph"
          className="h-7 w-32 text-xs"
          value={filter.place}
          onChange={(event) => change({ place: event.target.value })}
        >
          <option value="">All graphs</option>
          <option value={ROOT}>Root graph only</option>
          {withChosen(places, filter.place === ROOT ? '' : filter.place).map((place) => (
            <option key={place} value={place}>
              {place}
            </option>
          ))}
        </Select>
      ) : null}
      {/* Always shown, so that nothing shifts when the first node appears. */}
      <Select
        aria-label="Node"
        className="h-7 w-28 text-xs"
        disabled={nodes.length === 0 && !filter.node}
        value={filter.node}
        onChange={(event) => change({ node: event.target.value })}
      >
        <option value="">All nodes</option>
        {withChosen(nodes, filter.node).map((node) => (
          <option key={node} value={node}>
            {node}
          </option>
        ))}
      </Select>
      <button
        type="button"
        aria-pressed={isFolded && filter.unfolded?.size === 0}
        title="One row for the chunks of each message"
        onClick={() => foldAll(!isFolded || filter.unfolded?.size !== 0)}
        className={chipStyle(isFolded && filter.unfolded?.size === 0)}
      >
        Fold chunks
      </button>
      <button type="button" aria-pressed={isNewestFirst} onClick={reverse} className={chipStyle(isNewestFirst)}>
        Newest first
      </button>
      <ModeChips counters={view.counters} chosen={filter.modes} onChange={(modes) => change({ modes })} />
    </>
  )
}

/** Typing renders only this field; the list follows with the next repaint of the run. */
function TextFilter({ text, setText, keep }: Pick<Props['filter'], 'text' | 'setText' | 'keep'>) {
  const [typed, setTyped] = useState(text)
  useEffect(() => {
    let isOver = false
    browserClock.nextFrame(() => isOver || setText(typed))
    return () => {
      isOver = true
    }
  }, [typed, setText])
  return (
    <Input
      type="search"
      aria-label="Filter events by text"
      placeholder="Filter by text"
      className="h-7 w-40 flex-1 sm:max-w-64"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      // A delayed URL change could undo the navigation of the next click.
      onBlur={() => keep(typed)}
    />
  )
}

const withChosen = (list: readonly string[], chosen: string | undefined): readonly string[] =>
  chosen && !list.includes(chosen) ? [chosen, ...list] : list

/** The subgraphs and nodes seen so far. */
function usePlaces({ steps }: RunView) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: tracks are added in place; their number signals changes
  return useMemo(() => {
    const places = new Set<string>()
    const nodes = new Set<string>()
    for (const track of steps.tracks.values()) {
      nodes.add(track.node)
      for (let depth = 1; depth <= track.namespace.length; depth++)
        places.add(displayNamespace(track.namespace.slice(0, depth)))
    }
    return { places: [...places].sort(), nodes: [...nodes].sort() }
  }, [steps, steps.tracks.size])
}

const chipStyle = (isOn: boolean) =>
  cn(
    'inline-flex h-6 max-w-48 items-center gap-1 rounded-full border px-2 text-2xs tabular-nums hover:bg-hover',
    isOn ? 'border-accent bg-accent-soft text-ink' : 'text-ink-2',
  )

type ModeChipsProps = {
  counters: ReadonlyMap<string, number>
  chosen: readonly string[]
  onChange: (modes: readonly string[]) => void
}

const ModeChips = ({ counters, chosen, onChange }: ModeChipsProps) => (
  // One line on a narrow screen, so that a mode that comes with the run's end moves nothing.
  <fieldset className="flex min-w-0 flex-wrap gap-1 max-sm:order-last max-sm:basis-full max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:[&>button]:shrink-0">
    <legend className="sr-only">Modes</legend>
    {[...counters].map(([mode, number]) => {
      const isChosen = chosen.includes(mode)
      return (
        <button
          key={mode}
          type="button"
          aria-pressed={isChosen}
          onClick={() => onChange(isChosen ? chosen.filter((one) => one !== mode) : [...chosen, mode])}
          className={chipStyle(isChosen)}
        >
          <span className="truncate">{mode}</span> <span className="text-ink-3">{count(number)}</span>
        </button>
      )
    })}
  </fieldset>
)
