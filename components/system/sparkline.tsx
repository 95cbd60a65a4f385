const [WIDTH, HEIGHT] = [240, 44]

/** A line chart of recent values. Missing values leave gaps; `label` is the text for screen readers. */
export function Sparkline({ values, label }: { values: readonly (number | undefined)[]; label: string }) {
  const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[]
  const low = Math.min(0, ...known)
  const high = Math.max(...known, low + 1e-9)
  const y = (value: number) => HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4)
  const x = (at: number) => (values.length > 1 ? (at / (values.length - 1)) * WIDTH : WIDTH)
  let path = ''
  let isPen = false
  for (const [at, value] of values.entries()) {
    const isPoint = value !== undefined && Number.isFinite(value)
    if (isPoint) path += `${isPen ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
    isPen = isPoint
  }
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-11 w-full text-accent"
    >
      <path d={`M0 ${HEIGHT - 1}H${WIDTH}`} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
