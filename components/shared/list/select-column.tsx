import { shownText } from '@/lib/format/hidden-characters'
import { type Column, SelectBox } from './data-table'
import type { Selected, Selection } from './use-selection'

/** The checkbox column of a list, with a checkbox for the whole page in its header. */
export function selectColumn<Row>(
  rows: readonly Row[] | undefined,
  rowKey: (row: Row) => string,
  selectable: readonly Selected[],
  selection: Selection,
): Column<Row> {
  const names = new Map(selectable.map(({ id, name }) => [id, name]))
  return {
    id: 'select',
    isAside: true,
    className: 'w-9 pr-0',
    header:
      rows && names.size === 0 ? (
        <span className="sr-only">Select</span>
      ) : (
        <SelectBox
          label="Select all on this page"
          isChecked={names.size > 0 && selectable.every(({ id }) => selection.has(id))}
          onChange={selection.togglePage}
        />
      ),
    cell: (row) => {
      const id = rowKey(row)
      const name = names.get(id)
      return name === undefined ? null : (
        <SelectBox
          label={`Select ${shownText(name)}`}
          isChecked={selection.has(id)}
          onChange={(isRange) => selection.toggle(id, isRange)}
        />
      )
    },
  }
}
