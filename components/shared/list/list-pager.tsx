import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import { type AnchoredPage, anchorsAfter, anchorsBefore } from '@/lib/lists/anchored-page'
import { PageSize } from './page-size'

type Props = {
  page: AnchoredPage<{ id: string }>
  size: number
  /** The page sizes to choose from, the default first. */
  sizes: readonly [number, ...number[]]
  /** The total over all pages, if the server counts them. */
  total?: number
  isLoading: boolean
  /** A change of the URL's query. */
  onMove: (change: { offset: string; after: string; before: string }) => void
  onSize: (limit: string) => void
}

/**
 * The pager of a list whose pages are anchored to rows: the next page starts after the last row shown, even if rows were
 * added or removed.
 */
export function ListPager({ page: { rows, offset, hasNext }, size, sizes, total, isLoading, onMove, onSize }: Props) {
  const isAlone = offset === 0 && !hasNext
  if (isAlone && rows.length <= sizes[0])
    return total ? <p className="mt-2 text-right text-ink-3 text-xs">{count(total)} in all</p> : null
  const back = Math.max(0, offset - size)
  return (
    <nav
      aria-label="Pages"
      className="mt-3 flex flex-wrap items-center justify-end gap-2 text-ink-2 text-xs tabular-nums"
    >
      <PageSize size={size} sizes={sizes} onSize={onSize} />
      <span className="ml-2">
        {rows.length > 0 ? `${count(offset + 1)}–${count(offset + rows.length)}` : `after ${count(offset)}`}
        {total === undefined ? '' : ` of ${count(total)}`}
      </span>
      <Button
        size="sm"
        disabled={offset === 0 || isLoading}
        onClick={() =>
          onMove({ offset: String(back || ''), after: '', before: back ? anchorsBefore(rows).join(',') : '' })
        }
      >
        Previous
      </Button>
      <Button
        size="sm"
        disabled={!hasNext || isLoading}
        onClick={() =>
          onMove({ offset: String(offset + rows.length), after: anchorsAfter(rows).join(','), before: '' })
        }
      >
        Next
      </Button>
    </nav>
  )
}
