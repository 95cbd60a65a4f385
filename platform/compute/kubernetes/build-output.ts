import { isOwnNoise } from '../../builder/failure-advice'
import type { LogLevel } from '../../kernel/wire'
import { createLineReader } from '../log-level'

type Line = { level: LogLevel; message: string }

/** Steps of BuildKit itself, such as reading the Dockerfile. */
const INTERNAL = /^\[internal\]|^\[auth\]|^preparing|^sending|^inline/
const MOUNTS = /(?<= RUN )(?:--mount=\S+ )+/
/** What precedes each command in our Dockerfile. */
const OURS = /(?<= RUN )unset NODE_ENV; (?:export PATH=\S+; )?/

/** Reads BuildKit's plain progress: the commands and their output stay, its own bookkeeping goes. */
export function createProgressReader(): (line: string) => Line | undefined {
  const titles = new Map<string, string>()
  const levelOf = createLineReader()
  let isSummary = false
  return (line) => {
    const [, step, rest] = /^#(\d+) (.*)$/.exec(line) ?? []
    if (step === undefined || rest === undefined) {
      // After a failure, the output is repeated with the Dockerfile around it.
      isSummary ||= line === '------'
      if (isSummary || !line.trim() || line.startsWith('error: ')) return undefined
      return levelOf(line, false)
    }
    const title = titles.get(step)
    if (title === undefined) {
      const shown = rest.replace(MOUNTS, '').replace(OURS, '')
      titles.set(step, shown)
      return INTERNAL.test(shown) ? undefined : { level: 'INFO', message: shown }
    }
    return readDetail(rest, title, levelOf)
  }
}

function readDetail(text: string, title: string, levelOf: ReturnType<typeof createLineReader>): Line | undefined {
  const [, said] = /^\d+\.\d+ (.*)$/.exec(text) ?? []
  if (said !== undefined) return isOwnNoise(said) ? undefined : levelOf(said, false)
  if (text === 'CACHED') return { level: 'INFO', message: `${title}: from the cache` }
  const [, error] = /^ERROR: (.*)$/.exec(text) ?? []
  // What another failure has stopped, such as the export of the cache beside that of the image.
  if (error === undefined || /\bcontext canceled$/.test(error)) return undefined
  // The first build of a deployment.
  if (/^importing cache/.test(title)) return { level: 'INFO', message: 'There is no cache yet.' }
  return { level: 'ERROR', message: error }
}
