import type { AnyInput, Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { canParse } from '@/lib/json/can-parse'
import type { LargeJson } from '@/lib/json/large-json'
import { initOf, openConsole, RelayError, readValue, relayPath, unreachable } from './relay-fetch'

/** Parsing a larger response in the page would take longer than a frame. Bytes. */
export const MOST_DIRECT = 200_000

/**
 * Like `relayFetch`, for responses of any size and depth. One that is large, or that a parser would change, goes to a
 * worker, and the result is a document there; `options` are LargeJson's.
 */
export async function relayFetchLarge(
  op: Operation,
  input: OperationPlace & AnyInput,
  options: { under: string; from?: LargeJson },
  signal?: AbortSignal,
): Promise<{ value: unknown } | { large: LargeJson }> {
  const response = await openConsole(relayPath(op, input), initOf(op, input, signal))
  const reader = response.body?.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  while (reader) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new RelayError(unreachable, error)
    })
    if (done) break
    parts.push(value)
    size += value.byteLength
    if (size <= MOST_DIRECT) continue
    const { LargeJson } = await import('@/lib/json/large-json')
    // The length header of a compressed response does not tell its size.
    const { headers } = response
    const expected = headers.has('content-encoding') ? undefined : Number(headers.get('content-length')) || undefined
    const large = new LargeJson({ ...options, expected })
    for (const part of parts) large.add(part)
    void large.feed(reader)
    return { large }
  }
  const text = await new Blob(parts).text()
  if (canParse(text)) return { value: readValue(text, response.status) }
  const { LargeJson } = await import('@/lib/json/large-json')
  const large = new LargeJson(options)
  for (const part of parts) large.add(part)
  large.end()
  return { large }
}
