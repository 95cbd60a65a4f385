import 'server-only'
import { LOG_TYPES, type LogEntry } from '@/lib/contracts/logs'
import { AppError } from '@/lib/errors'
import { type Actor, sessionActor } from './actor'
import { type LogOf, readLogPage } from './live/log-pages'
import { LogTail } from './live/log-tail'
import { errorResponse, refuseForeignSite } from './relay'
import { shutdownSignal } from './shutdown'

type Params = { workspace: string; deploymentId: string; revisionId: string; type: string }

const isLogType = (type: string): type is LogOf['type'] => LOG_TYPES.some((one) => one === type)

/** A revision's whole log as a plain text file, page by page as it is read: nothing of it is held here. */
export async function downloadLog(
  request: Request,
  { workspace, deploymentId: deployment, revisionId: revision, type }: Params,
  who: () => Promise<Actor> = sessionActor,
): Promise<Response> {
  try {
    refuseForeignSite(request)
    if (!isLogType(type)) throw new AppError('not_found', 'There is no such log.')
    const actor = await who()
    const signal = AbortSignal.any([request.signal, shutdownSignal()])
    const lines = textOf({ workspace, deployment, revision, type }, actor, signal)
    // The first page before the headers: what is refused is refused as an error, not as a file.
    const first = await lines.next()
    return new Response(streamOf(first, lines), {
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `attachment; filename="${type}-${revision.replace(/[^\w-]/g, '').slice(0, 36)}.log"`,
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': 'private, no-store, no-transform',
        'x-content-type-options': 'nosniff',
        vary: 'cookie',
      },
    })
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return errorResponse(error)
  }
}

async function* textOf(of: LogOf, actor: Actor, signal: AbortSignal): AsyncGenerator<string, void> {
  const tail = new LogTail()
  for (let isAtEnd = false; !isAtEnd; ) {
    const taken = tail.take(await readLogPage(of, tail.offset, { actor, signal }))
    isAtEnd = taken.isAtEnd
    yield taken.lines.map(lineOf).join('')
  }
}

function lineOf({ timestamp, level, message }: LogEntry): string {
  const time = typeof timestamp === 'number' ? new Date(timestamp) : undefined
  const at = time && !Number.isNaN(time.getTime()) ? time.toISOString() : timestamp
  return `${[at, level, message].filter((part) => part !== null && part !== undefined).join(' ')}\n`
}

/** Pulled, so that a slow reader slows the reading down. A failure on the way breaks the download off instead of ending it. */
function streamOf(
  first: IteratorResult<string, void>,
  lines: AsyncGenerator<string, void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: IteratorResult<string, void> | undefined = first
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = next ?? (await lines.next())
        next = undefined
        if (done) return controller.close()
        if (value === '') continue // a pull that enqueues nothing is not repeated
        return controller.enqueue(encoder.encode(value))
      }
    },
    cancel: async () => void (await lines.return()),
  })
}
