import 'server-only'
import { AppError } from '@/lib/errors'
import type { RecordingSummary } from '@/lib/stream/log'
import { endLine, entryLine, headerLine } from '@/lib/stream/recording-file'
import { type Actor, roleOf } from '../access/actor'
import { download, type FileParts } from '../relay/download'
import { exportRecording, readRecording } from './recordings'

type Params = { workspace: string; deploymentId: string; recordingId: string }

/** A recording as a file for those who may see it, page by page as it is read. */
export const downloadRecording = (request: Request, params: Params, who?: () => Promise<Actor>): Promise<Response> =>
  download(
    request,
    async (actor) => {
      const { workspace, deploymentId, recordingId } = params
      const summary = (await roleOf(actor, workspace)) ? await readRecording(recordingId) : undefined
      // A workspace that one may not see, and a recording of another one, look like none.
      if (summary?.workspace !== workspace || summary.deployment !== deploymentId)
        throw new AppError('not_found', 'There is no such recording.')
      const date = summary.startedAt.slice(0, 19).replace(/[^\d-]/g, '')
      return {
        name: `run-${date}-${summary.id.slice(0, 8)}.jsonl`,
        type: 'application/jsonl',
        parts: linesOf(summary),
      }
    },
    who,
  )

async function* linesOf(summary: RecordingSummary): FileParts {
  yield headerLine(summary, new Date().toISOString())
  let count = 0
  for await (const entries of exportRecording(summary.id)) {
    count += entries.length
    yield entries.map(entryLine).join('')
  }
  yield endLine(count)
}
