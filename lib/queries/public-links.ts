import { queryOptions } from '@tanstack/react-query'
import { withBasePath } from '@/lib/base-path'
import type { PublicLinks } from '@/lib/contracts/public-link'
import { consoleFetch, type RelayError } from './relay-fetch'

const LOST = 'The console did not respond. Reload the page to try again.'

/** The usable public links of a recording. */
export const publicLinksQuery = (workspace: string, recording: string) =>
  queryOptions<PublicLinks, RelayError>({
    queryKey: ['public-links', workspace, recording],
    queryFn: async ({ signal }) => {
      const address = `/api/public/links/${encodeURIComponent(workspace)}?recording=${encodeURIComponent(recording)}`
      // Our own server wrote the response; only the type is lost.
      return (await consoleFetch(address, { signal })) as PublicLinks
    },
  })

/** The recording file of a public link, or why it does not open. No cookie is sent. */
export async function openPublicRun(
  token: string,
  signal: AbortSignal,
): Promise<{ file: ReadableStream<Uint8Array> } | { problem: string }> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(withBasePath('/api/public/run'), { headers, signal, credentials: 'omit' }).catch(
    () => undefined,
  )
  if (response?.ok && response.body) return { file: response.body }
  const { message } = ((await response?.json().catch(() => undefined)) ?? {}) as { message?: unknown }
  return { problem: typeof message === 'string' ? message : LOST }
}
