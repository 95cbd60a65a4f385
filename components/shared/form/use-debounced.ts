import { useEffect, useState } from 'react'

/** A value once it has not changed for a while. */
export function useDebounced<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(setDebounced, ms, value)
    return () => clearTimeout(timer)
  }, [value, ms])
  return debounced
}
