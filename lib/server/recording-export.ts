import 'server-only'
import { AppError } from '@/lib/errors'
import type { LogEntry, RecordingSummary } from '@/lib/stream/log'
import { endLine, entryLine, headerLine } from '@/lib/stream/recording-file'
import { type Actor, roleOf, sessionActor } from './actor'
import { exportRecording, readRecording } from './recorder/read'
import { errorResponse, refuseForeignSite } from './relay'

type Params = { workspace: string; deploymentId: string; recordingId: string }

/** A recording as a file for those who may see it, page by page as it is read: nothing of it is held here. */
export async function downloadRecording(
  request: Request,
  { workspace, deploymentId, recordingId }: Params,
  who: () => Promise<Actor> = sessionActor,
): Promise<Response> {
  try {
    refuseForeignSite(request)
    const actor = await who()
    const summary = (await roleOf(actor, workspace)) ? await readRecording(recordingId) : undefined
    // A workspace that one may not see, and a recording of another one, look like none.
    if (summary?.workspace !== workspace || summary.deployment !== deploymentId)
      throw new AppError('not_found', 'There is no such recording.')
    const date = summary.startedAt.slice(0, 19).replace(/[^\d-]/g, '')
    return new Response(streamOf(linesOf(summary), request.signal), {
      headers: {
        'content-type': 'application/jsonl; charset=utf-8',
        'content-disposition': `attachment; filename="run-${date}-${summary.id.slice(0, 8)}.jsonl"`,
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

async function* linesOf(summary: RecordingSummary): AsyncGenerator<string, void> {
  yield headerLine(summary, new Date().toISOString())
  let count = 0
  for await (const part of exportRecording(summary.id)) {
    const entries = JSON.parse(`[${part.toString()}]`) as LogEntry[] // as this server wrote them
    count += entries.length
    yield entries.map(entryLine).join('')
  }
  yield endLine(count)
}

/** Pulled, so that a slow reader slows the reading down. A failure on the way breaks the download off instead of ending it. */
function streamOf(lines: AsyncGenerator<string, void>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done || signal.aborted) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await lines.return()),
  })
}
