type Props = { hours: readonly { runs: number; failed: number }[]; label: string }

const HEIGHT = 20

/** Runs per hour as bars from the left, the failed ones at the bottom in red. Two paths, because a list has many. */
export function Sparkline({ hours, label }: Props) {
  const top = Math.max(1, ...hours.map(({ runs }) => runs))
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / top) * HEIGHT))
  const failed = hours.map((one) => heightOf(one.failed))
  const others = hours.map(({ runs, failed: ofThem }) => heightOf(runs - ofThem))
  const bar = (index: number, from: number, height: number) =>
    height > 0 ? `M${index + 0.5} ${(HEIGHT - from).toFixed(1)}v-${height.toFixed(1)}` : ''
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${hours.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-5 w-24 overflow-visible border-line-strong border-b"
      strokeWidth={0.8}
      fill="none"
    >
      <path
        d={others.map((height, index) => bar(index, failed[index] ?? 0, height)).join('')}
        className="stroke-accent"
      />
      <path d={failed.map((height, index) => bar(index, 0, height)).join('')} className="stroke-error" />
    </svg>
  )
}
