import 'server-only'
import { headers } from 'next/headers'
import type { Result } from '@/lib/errors'
import { assertOwnOrigin } from '../access/origin'
import { newRequestId, toResult } from '../process/result'

/** Wraps every action: refuses requests from other origins and returns failures as values. */
export function guardAction<T>(action: (requestId: string) => Promise<T>): Promise<Result<T>> {
  const requestId = newRequestId()
  return toResult(async () => {
    assertOwnOrigin(await headers())
    return await action(requestId)
  }, requestId)
}
