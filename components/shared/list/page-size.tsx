import { Select } from '@/components/ui/input'

type Props = {
  size: number
  /** What a page may have; the first is the usual one, which the URL leaves out. */
  sizes: readonly [number, ...number[]]
  onSize: (limit: string) => void
}

/** How many rows a page of a list has. */
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
