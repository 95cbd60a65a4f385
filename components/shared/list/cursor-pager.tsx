import { PageSize } from '@/components/shared/list/page-size'
import { Button } from '@/components/ui/button'
import { count as countText } from '@/lib/format/format'

/** Limits the URL's length. Beyond this, going back ends before the first page. */
const MAX_TRAIL = 20

type Props = {
  /** The cursors of the pages visited; the last one is the current page's. */
  trail: readonly string[]
  next: string | undefined
  count: number
  size: number
  /** Those to choose from; the first is the default. */
  sizes: readonly [number, ...number[]]
  isLoading: boolean
  onMove: (after: string) => void
  onSize: (limit: string) => void
}

/** The pager of a list with cursors, where new rows do not move others to another page. */
export function CursorPager({ trail, next, count, size, sizes, isLoading, onMove, onSize }: Props) {
  if (trail.length === 0 && !next && count <= sizes[0]) return null
  return (
    <nav aria-label="Pages" className="mt-3 flex flex-wrap items-center justify-end gap-2 text-ink-2 text-xs">
      <PageSize size={size} sizes={sizes} onSize={onSize} />
      <span className="ml-2 tabular-nums">
        {countText(count)} {trail.length === 0 ? 'newest' : 'older'}
      </span>
      <Button size="sm" disabled={trail.length === 0 || isLoading} onClick={() => onMove(trail.slice(0, -1).join(','))}>
        Newer
      </Button>
      <Button
        size="sm"
        disabled={!next || isLoading}
        onClick={() => onMove([...trail, next].slice(-MAX_TRAIL).join(','))}
      >
        Older
      </Button>
    </nav>
  )
}
