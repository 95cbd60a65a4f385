import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { anchorsAfter, anchorsBefore } from '@/lib/anchored-page'
import type { DeploymentRowsPage } from '@/lib/contracts/deployment-row'
import { count } from '@/lib/format'
import { PAGE_SIZE, PAGE_SIZES } from './list-query'

type Props = {
  page: DeploymentRowsPage
  size: number
  isLoading: boolean
  /** A change of the URL's query. */
  onMove: (change: { offset: string; after: string; before: string }) => void
  onSize: (limit: string) => void
}

/** Moves between the pages of the list: the next one begins after the last row seen, whatever came or went meanwhile. */
export function ListPager({ page: { rows, offset, hasNext }, size, isLoading, onMove, onSize }: Props) {
  const isAlone = offset === 0 && !hasNext
  if (isAlone && rows.length <= PAGE_SIZE) return null
  const back = Math.max(0, offset - size)
  return (
    <nav
      aria-label="Pages"
      className="mt-3 flex flex-wrap items-center justify-end gap-2 text-ink-2 text-xs tabular-nums"
    >
      <label htmlFor="page-size" className="flex items-center gap-1.5">
        Rows
        <Select
          id="page-size"
          className="h-7 w-auto text-xs"
          value={size}
          onChange={({ target }) => onSize(target.value === String(PAGE_SIZE) ? '' : target.value)}
        >
          {PAGE_SIZES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      </label>
      <span className="ml-2">
        {rows.length > 0 ? `${count(offset + 1)}–${count(offset + rows.length)}` : `after ${count(offset)}`}
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
