import { shownText } from '@/lib/format/hidden-characters'
import { type Column, SelectBox } from './data-table'
import type { Selection } from './use-selection'

type Named = { id: string; name: string }

/** The first column of a list whose rows can be chosen: each of them, or all on the page. */
export const selectColumn = <Row extends Named>(rows: readonly Row[], selection: Selection): Column<Row> => ({
  id: 'select',
  isAside: true,
  className: 'w-9 pr-0',
  header: (
    <SelectBox
      label="Select all on this page"
      isChecked={rows.length > 0 && rows.every(({ id }) => selection.has(id))}
      onChange={selection.togglePage}
    />
  ),
  cell: ({ id, name }) => (
    <SelectBox
      label={`Select ${shownText(name)}`}
      isChecked={selection.has(id)}
      onChange={(isRange) => selection.toggle(id, isRange)}
    />
  ),
})
