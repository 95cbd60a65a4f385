import 'server-only'
import type { Actor } from '../access/actor'
import { sessionActor } from '../access/actor'
import { shutdownSignal } from '../process/shutdown'
import { errorResponse, refuseForeignSite } from './relay'

export type FileParts = AsyncGenerator<string, void>
type File = { name: string; type: string; parts: FileParts }

/**
 * Streams a text file to the browser without buffering it. The first part is produced before the headers are sent,
 * so that a refusal is an error response and not a broken file.
 */
export async function download(
  request: Request,
  open: (actor: Actor, signal: AbortSignal) => File | Promise<File>,
  who: () => Promise<Actor> = sessionActor,
): Promise<Response> {
  try {
    refuseForeignSite(request)
    return await fileResponse(await open(await who(), AbortSignal.any([request.signal, shutdownSignal()])))
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return errorResponse(error)
  }
}

/** Throws what the first part throws. */
export async function fileResponse({ name, type, parts }: File): Promise<Response> {
  const first = await parts.next()
  return new Response(streamOf(first, parts), {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store, no-transform',
      'x-content-type-options': 'nosniff',
      vary: 'cookie, authorization',
    },
  })
}

/** Makes an id or name safe for a file name. */
export const inFileName = (text: string): string => text.replace(/[^\w-]/g, '').slice(0, 40)

/** Pull-based, so that a slow reader slows production down. A failure aborts the download, so it cannot look complete. */
function streamOf(first: IteratorResult<string, void>, parts: FileParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: IteratorResult<string, void> | undefined = first
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = next ?? (await parts.next())
        next = undefined
        if (done) return controller.close()
        if (value === '') continue // a pull that enqueues nothing is not repeated
        return controller.enqueue(encoder.encode(value))
      }
    },
    cancel: async () => void (await parts.return()),
  })
}
