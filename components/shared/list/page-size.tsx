import { Select } from '@/components/ui/input'

type Props = {
  size: number
  /** The page sizes to choose from; the first is the default and is not in the URL. */
  sizes: readonly [number, ...number[]]
  onSize: (limit: string) => void
}

/** Selects the number of rows per page. */
export function PageSize({ size, sizes, onSize }: Props) {
  return (
    <label htmlFor="page-size" className="flex items-center gap-1.5">
      Rows
      <Select
        id="page-size"
        className="h-7 w-auto text-xs"
        value={size}
        onChange={({ target: { value } }) => onSize(value === String(sizes[0]) ? '' : value)}
      >
        {sizes.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
    </label>
  )
}
