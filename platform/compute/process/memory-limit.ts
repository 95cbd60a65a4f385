import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const LOOK_MS = 500
const MB = 1024 * 1024

/** What V8 may keep alive, in MB: the rest of the limit is for buffers, code and threads. */
export const heapLimitFor = (limitMb: number): number => Math.max(32, Math.floor(limitMb * 0.75))

/** Resident memory of a process in bytes; undefined if it is gone or cannot be read. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  try {
    if (process.platform === 'linux') {
      const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
      return kb === undefined ? undefined : Number(kb) * 1024
    }
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
    return Number(stdout) * 1024 || undefined
  } catch {
    return undefined
  }
}

/**
 * Calls `onExcess` once, with the reason, when a process exceeds its memory limit, if it has one. Returns a function
 * that stops watching.
 */
export function watchMemory(
  pidOf: () => number | undefined,
  limitMb: number | undefined,
  onExcess: (why: string) => void,
  lookMs = LOOK_MS,
): () => void {
  if (limitMb === undefined) return () => {}
  let isOver = false
  const look = async () => {
    const pid = pidOf()
    const bytes = pid === undefined ? undefined : await residentBytes(pid)
    if (isOver) return
    if (bytes === undefined || bytes <= limitMb * MB) {
      timer = setTimeout(look, lookMs).unref()
      return
    }
    isOver = true
    onExcess(`it used ${Math.ceil(bytes / MB)} MB and its memory limit is ${limitMb} MB`)
  }
  let timer = setTimeout(look, lookMs).unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
