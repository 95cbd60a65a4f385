import { useCallback, useEffect, useRef } from 'react'

/**
 * Tells the row after the open one, or before it if it is the last. Also when the open row has gone meanwhile: the list may
 * hear of an answer before the person who gave it does.
 */
export function useNeighbour(rows: readonly { id: string }[] | undefined, open: string | undefined) {
  const known = useRef<{ of: string; id: string | undefined }>(undefined)
  useEffect(() => {
    const at = rows?.findIndex(({ id }) => id === open) ?? -1
    if (open && at >= 0) known.current = { of: open, id: (rows?.[at + 1] ?? rows?.[at - 1])?.id }
  }, [rows, open])
  return useCallback(() => (known.current?.of === open ? known.current?.id : undefined), [open])
}
