import { useEffect, useRef } from 'react'
import { Select } from '@/components/ui/input'

type Props = {
  size: number
  /** What a page may have; the first is the usual one, which the URL leaves out. */
  sizes: readonly [number, ...number[]]
  onSize: (limit: string) => void
}

/** How many rows a page of a list has. */
export function PageSize({ size, sizes, onSize }: Props) {
  const field = useRef<HTMLSelectElement>(null)
  const choose = (value: string) => onSize(value === String(sizes[0]) ? '' : value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for what was chosen before the page's code had come
  useEffect(() => {
    const chosen = field.current?.value
    if (chosen && chosen !== String(size)) choose(chosen)
  }, [])
  return (
    <label htmlFor="page-size" className="flex items-center gap-1.5">
      Rows
      <Select
        id="page-size"
        ref={field}
        className="h-7 w-auto text-xs"
        value={size}
        onChange={({ target }) => choose(target.value)}
      >
        {sizes.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
    </label>
  )
}
