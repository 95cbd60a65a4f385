import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'

type Props = {
  offset: number
  /** The page size. */
  size: number
  shown: number
  /** The total over all pages, if the server counts them. */
  total?: number
  isLoading?: boolean
  onMove: (offset: string) => void
}

/** The pager of a list with offsets; hidden if there is only one page. */
export function Pager({ offset, size, shown, total, isLoading, onMove }: Props) {
  const hasNext = total === undefined ? shown >= size : offset + shown < total
  if (offset === 0 && !hasNext)
    return total === undefined || total === 0 ? null : (
      <p className="mt-2 text-right text-ink-3 text-xs">{count(total)} in all</p>
    )
  return (
    <nav aria-label="Pages" className="mt-3 flex items-center justify-end gap-2 text-ink-2 text-xs tabular-nums">
      <span>
        {shown > 0 ? `${count(offset + 1)}–${count(offset + shown)}` : `after ${count(offset)}`}
        {total === undefined ? '' : ` of ${count(total)}`}
      </span>
      <Button size="sm" disabled={offset === 0} onClick={() => onMove(String(Math.max(0, offset - size) || ''))}>
        Previous
      </Button>
      <Button size="sm" disabled={!hasNext || isLoading} onClick={() => onMove(String(offset + size))}>
        Next
      </Button>
    </nav>
  )
}
