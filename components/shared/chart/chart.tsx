import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

export type Series = { label: string; kind: 'bar' | 'line'; tone: string; values: readonly (number | null)[] }

export type ChartModel = {
  title: string
  /** The value for the whole span, as text. */
  total: string
  note?: string
  series: readonly Series[]
  format: (value: number) => string
}

type Props = ChartModel & {
  /** The labels of the intervals. */
  times: readonly string[]
  hasLegend?: boolean
  /** What lies over the bars, such as a `BarPicker`. `hints`: what each bar says. */
  over?: (hints: readonly string[]) => ReactNode
}

const HEIGHT = 48
/** Space above the highest value, so that the line is not cut off. */
const TOP = 3

/**
 * A small chart of one metric over time. Bars are stacked, lines skip unknown values; the table on the page has the same
 * numbers.
 */
export function Chart({ title, total, note, series, times, format, hasLegend, over }: Props) {
  const count = times.length
  const top = highest(series)
  const y = (value: number) => HEIGHT - (value / top) * (HEIGHT - TOP)
  const last = times.length - 1
  const hints = times.map((time, index) => [time, ...series.map((one) => hintOf(one, index, format))].join('\n'))
  return (
    <figure className="@container flex min-w-0 flex-col rounded-lg border bg-panel px-3 pt-2 pb-1.5">
      <figcaption className="flex flex-col text-xs">
        <span className="truncate text-ink-2">{title}</span>
        <span className="font-medium text-ink tabular-nums" title={note}>
          {total}
        </span>
        {hasLegend ? <Legend series={series} /> : null}
      </figcaption>
      <div className="relative mt-auto pt-1.5">
        <svg
          role="img"
          aria-label={`${title}: ${total}`}
          viewBox={`0 0 ${count} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="block h-12 w-full overflow-visible"
        >
          <line x1={0} x2={count} y1={HEIGHT} y2={HEIGHT} className="stroke-line" vectorEffect="non-scaling-stroke" />
          {stackOf(series).map(({ tone, values, below }) =>
            values.map((value, index) =>
              value ? (
                <rect
                  // biome-ignore lint/suspicious/noArrayIndexKey: an interval is identified by its position
                  key={index}
                  x={index + 0.12}
                  width={0.76}
                  y={y(value + (below[index] ?? 0))}
                  height={Math.max(1, y(below[index] ?? 0) - y(value + (below[index] ?? 0)))}
                  className={cn('fill-current', tone)}
                />
              ) : null,
            ),
          )}
          {series
            .filter(({ kind }) => kind === 'line')
            .map(({ label, tone, values }) => (
              <path
                key={label}
                d={linePath(values, y)}
                className={cn('fill-none stroke-current', tone)}
                strokeWidth={2.25}
                strokeLinecap="round"
                strokeLinejoin="round"
                vectorEffect="non-scaling-stroke"
              />
            ))}
          {times.map((time, index) => (
            <rect key={time} x={index} width={1} y={0} height={HEIGHT} className="fill-transparent hover:fill-ink/10">
              <title>{hints[index]}</title>
            </rect>
          ))}
        </svg>
        {over?.(hints)}
      </div>
      <div aria-hidden className="mt-0.5 flex justify-between gap-2 text-2xs text-ink-3 tabular-nums">
        <End time={times[0]} other={times[last]} />
        <End time={times[last]} other={times[0]} />
      </div>
    </figure>
  )
}

const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul className="mt-0.5 flex flex-wrap gap-x-3 text-ink-2">
    {series.map(({ label, tone }) => (
      <li key={label} className="flex items-center gap-1">
        <span aria-hidden className={cn('size-2 rounded-xs bg-current', tone)} />
        {label}
      </li>
    ))}
  </ul>
)

/** A label at one end of the axis. Narrow charts show only the day, or only the hour if both ends are on the same day. */
function End({ time = '', other = '' }: { time: string | undefined; other: string | undefined }) {
  const [day, hour] = time.split(', ')
  return (
    <>
      <span className="truncate @max-[11rem]:hidden">{time}</span>
      <span className="truncate @[11rem]:hidden">{hour && other.startsWith(`${day},`) ? hour : day}</span>
    </>
  )
}

function hintOf({ label, values }: Series, index: number, format: (value: number) => string): string {
  const value = values[index]
  return `${label}: ${value === null || value === undefined ? '–' : format(value)}`
}

function highest(series: readonly Series[]): number {
  let top = 0
  for (const { values, below } of stackOf(series))
    values.forEach((value, index) => {
      top = Math.max(top, (value ?? 0) + (below[index] ?? 0))
    })
  for (const { kind, values } of series)
    if (kind === 'line') for (const value of values) top = Math.max(top, value ?? 0)
  return top || 1
}

/** The bars with the offset of each, which is the sum of those below it. */
function stackOf(series: readonly Series[]) {
  const sums: number[] = []
  return series
    .filter(({ kind }) => kind === 'bar')
    .map(({ tone, values }) => ({
      tone,
      values,
      below: values.map((value, index) => {
        const below = sums[index] ?? 0
        sums[index] = below + (value ?? 0)
        return below
      }),
    }))
}

/** The path of a line. A single value is drawn as a dot: a line of no length with round ends. */
function linePath(values: readonly (number | null)[], y: (value: number) => number): string {
  let path = ''
  let isOpen = false
  values.forEach((value, index) => {
    if (value === null) return
    path += `${isOpen ? 'L' : 'M'}${index + 0.5} ${y(value).toFixed(2)}`
    if (!isOpen) path += 'h0.01'
    isOpen = true
  })
  return path
}
