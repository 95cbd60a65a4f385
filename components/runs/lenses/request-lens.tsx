'use client'

import { useMemo } from 'react'
import { JsonTree } from '@/components/shared/json/json-tree'
import { parseJson } from '@/lib/json/lossless'

/** The request that started the run. */
export function RequestLens({ request }: { request: string }) {
  const value = useMemo(() => {
    try {
      return parseJson(request)
    } catch {
      return request
    }
  }, [request])
  return <JsonTree value={value} label="Request" className="h-full" />
}
