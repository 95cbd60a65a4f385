import { useEffect, useState } from 'react'

/** What `load` imports, as soon as it is there and while `isWanted`. If it cannot be loaded, the caller goes without. */
export function useLoaded<T>(load: () => Promise<T>, isWanted: boolean): T | undefined {
  const [loaded, setLoaded] = useState<{ module: T }>()
  const isMissing = isWanted && !loaded
  useEffect(() => {
    if (!isMissing) return
    let isMounted = true
    load().then(
      (module) => isMounted && setLoaded({ module }),
      () => undefined,
    )
    return () => {
      isMounted = false
    }
  }, [load, isMissing])
  return loaded?.module
}
