import 'server-only'
import { LOG_LEVELS, LOG_TYPES, type LogEntry } from '@/lib/contracts/deployments/logs'
import { AppError } from '@/lib/errors'
import type { Actor } from '../../access/actor'
import { download, type FileParts, inFileName } from '../../relay/download'
import { type LogOf, readLogPage } from './log-pages'
import { LogTail } from './log-tail'

type Params = { workspace: string; deploymentId: string; revisionId: string; type: string }

const isLogType = (type: string): type is LogOf['type'] => LOG_TYPES.some((one) => one === type)

/**
 * Streams a log as a plain text file: that of a revision, or of all (`all`), between `from` and `to` and filtered by `level`
 * and `q` of the address. Throws AppError not_found for an unknown type, and invalid for a filter that cannot be read.
 */
export const downloadLog = (request: Request, params: Params, who?: () => Promise<Actor>): Promise<Response> =>
  download(
    request,
    (actor, signal) => {
      const { workspace, deploymentId, revisionId, type } = params
      if (!isLogType(type)) throw new AppError('not_found', 'This log does not exist.')
      const revision = revisionId === 'all' ? undefined : revisionId
      const of = { workspace, deploymentId, revision, type, ...filtersOf(new URL(request.url).searchParams) }
      const name = `${type}-${inFileName(revision ?? deploymentId)}.log`
      return { name, type: 'text/plain', parts: textOf(of, actor, signal) }
    },
    who,
  )

function filtersOf(search: URLSearchParams): Pick<LogOf, 'from' | 'to' | 'level' | 'query'> {
  const of = (name: string) => search.get(name) || undefined
  const [from, to, wanted] = [of('from'), of('to'), of('level')]
  const level = LOG_LEVELS.find((one) => one === wanted)
  const isWrong = wanted !== level || [from, to].some((time) => time !== undefined && Number.isNaN(Date.parse(time)))
  if (isWrong) throw new AppError('invalid', 'The filters of this log cannot be read.')
  return { from, to, level, query: of('q') }
}

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
