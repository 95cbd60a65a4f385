'use client'
import { type ReactNode, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { Button } from '@/components/ui/button'
import { Pager } from './pager'
import { SearchBox } from './search-box'

const SIZE = 50

type Pages<Row> = {
  rows: readonly Row[]
  /** A search field; null where all rows fit on one page. */
  search: ReactNode
  /** In place of the rows if the search finds none. */
  noMatch: ReactNode
  pager: ReactNode
}

/** Pages of a list that is loaded as a whole. `textOf` is what its search looks through; `label` is that of its field. */
export function usePages<Row>(all: readonly Row[], label: string, textOf: (row: Row) => string): Pages<Row> {
  const [text, setText] = useState('')
  const [offset, setOffset] = useState(0)
  const sought = text.toLowerCase()
  const fitting = sought ? all.filter((row) => textOf(row).toLowerCase().includes(sought)) : all
  // Rows may have been removed since the page was turned.
  const from = Math.min(offset, Math.floor(Math.max(0, fitting.length - 1) / SIZE) * SIZE)
  const rows = fitting.slice(from, from + SIZE)
  const search = (value: string) => {
    setText(value)
    setOffset(0)
  }
  const isLong = all.length > SIZE
  return {
    rows,
    search: isLong ? (
      <div className="mb-3">
        <SearchBox label={label} value={text} onChange={search} />
      </div>
    ) : null,
    noMatch: sought ? (
      <EmptyState title="No matches" action={<Button onClick={() => search('')}>Clear the search</Button>} />
    ) : null,
    pager: isLong ? (
      <Pager
        offset={from}
        size={SIZE}
        shown={rows.length}
        total={fitting.length}
        onMove={(to) => setOffset(Number(to))}
      />
    ) : null,
  }
}
