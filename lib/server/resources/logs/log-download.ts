import 'server-only'
import { LOG_TYPES, type LogEntry } from '@/lib/contracts/deployments/logs'
import { AppError } from '@/lib/errors'
import type { Actor } from '../../access/actor'
import { download, type FileParts, inFileName } from '../../relay/download'
import { type LogOf, readLogPage } from './log-pages'
import { LogTail } from './log-tail'

type Params = { workspace: string; deploymentId: string; revisionId: string; type: string }

const isLogType = (type: string): type is LogOf['type'] => LOG_TYPES.some((one) => one === type)

/** Streams a revision's whole log as a plain text file. Throws AppError not_found for an unknown type. */
export const downloadLog = (request: Request, params: Params, who?: () => Promise<Actor>): Promise<Response> =>
  download(
    request,
    (actor, signal) => {
      const { workspace, deploymentId, revisionId: revision, type } = params
      if (!isLogType(type)) throw new AppError('not_found', 'This log does not exist.')
      const parts = textOf({ workspace, deploymentId, revision, type }, actor, signal)
      return { name: `${type}-${inFileName(revision)}.log`, type: 'text/plain', parts }
    },
    who,
  )

async function* textOf(of: LogOf, actor: Actor, signal: AbortSignal): FileParts {
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
