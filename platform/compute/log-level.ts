import { LOG_LEVELS } from '@/lib/contracts/deployments/logs'
import type { LogLine } from '../kernel/revision-log'
import type { LogLevel } from '../kernel/wire'

const LEVEL_WORDS: Record<string, LogLevel> = {
  TRACE: 'DEBUG',
  WARN: 'WARNING',
  ERR: 'ERROR',
  FATAL: 'CRITICAL',
  ...Object.fromEntries(LOG_LEVELS.map((level) => [level, level])),
}

/**
 * Reads one line of an agent server: a JSON line has its level and run; the level of other lines follows from their stream
 * and wording. The lines of a stack trace keep the level of the first.
 */
export function createLineReader(): (line: string, isError: boolean) => LogLine {
  let last: LogLevel = 'INFO'
  return (line, isError) => {
    const found = readJsonLine(line)
    if (found) return found
    if (/^\s/.test(line)) return { level: last, message: line }
    last = !isError ? 'INFO' : /error|exception|fatal|uncaught|refused|failed/i.test(line) ? 'ERROR' : 'WARNING'
    return { level: last, message: line }
  }
}

function readJsonLine(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const { level, message, msg, run_id, ...rest } = JSON.parse(line) as Record<string, unknown>
    const text = typeof message === 'string' ? message : typeof msg === 'string' ? msg : undefined
    const known = typeof level === 'string' ? LEVEL_WORDS[level.toUpperCase()] : undefined
    if (text === undefined || !known) return undefined
    const more = Object.keys(rest).length ? ` ${JSON.stringify(rest)}` : ''
    return { level: known, message: text + more, runId: typeof run_id === 'string' ? run_id : undefined }
  } catch {
    return undefined
  }
}
