import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import path from 'node:path'

/**
 * Kills the processes we started if we die without cleanup (kill -9): a shell waits on a pipe that closes with us, then
 * ends builds at once and agent servers after a moment in which they can release their runs. If the shell was killed
 * too, the next start kills what `journal` lists.
 */
const GRACE_S = 3
const SCRIPT = `
now= later=
without() { kept=; for one in $1; do [ "$one" = "$2" ] || kept="$kept $one"; done; }
end() { for one in $1; do kill -s KILL -- "-$one" 2>/dev/null; done; }
while read -r kind group; do
  case $kind in
    now) now="$now $group" ;;
    later) later="$later $group" ;;
    gone) without "$now" "$group"; now=$kept; without "$later" "$group"; later=$kept ;;
  esac
done
end "$now"
[ -z "$later" ] || sleep ${GRACE_S}
end "$later"
`
type When = 'now' | 'later'

const groups = new Map<number, When>()
let shell: ChildProcess | undefined
let journal: string | undefined

/**
 * Keeps the journal in this folder from now on, and ends processes of the last platform: builds before it returns,
 * agent servers shortly after.
 */
export function endOrphanedProcesses(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  journal = folder
  const end = (name: string) => {
    const file = path.join(folder, name)
    const [born] = (readOr(file) ?? '').split(' ')
    const now = birthOf(Number(name))
    // A dead leader may leave its group behind; a reused process id is not ours to kill.
    if (born?.startsWith(bootId()) && (now === undefined || now === born)) endGroup(Number(name))
    rmSync(file, { force: true })
  }
  const left = readdirSync(folder).filter((name) => !groups.has(Number(name)))
  const later = left.filter((name) => readOr(path.join(folder, name))?.endsWith(' later'))
  for (const name of left) if (!later.includes(name)) end(name)
  if (later.length) setTimeout(() => later.forEach(end), (GRACE_S + 1) * 1000).unref()
}

/** Ends the process group of a `detached` child with the platform, until the returned function is called. */
export function watchProcessGroup(group: number | undefined, when: When): () => void {
  // Windows has neither process groups nor this shell, so there only closed channels help.
  if (group === undefined || process.platform === 'win32') return () => {}
  groups.set(group, when)
  const note = journal && path.join(journal, String(group))
  const born = birthOf(group)
  // Without a start time, the process could not be recognized and killed safely later.
  if (note && born) writeFileSync(note, `${born} ${when}`)
  send(`${when} ${group}`)
  return () => {
    if (!groups.delete(group)) return
    send(`gone ${group}`)
    if (note) rmSync(note, { force: true })
  }
}

function send(line: string): void {
  if (shell) {
    shell.stdin?.write(`${line}\n`)
    return
  }
  // In its own group, so that killing ours does not kill it too.
  const started = spawn('/bin/sh', ['-c', SCRIPT], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell = started
  const lost = () => {
    if (shell !== started) return
    shell = undefined
    const [first] = groups
    if (first) send(`${first[1]} ${first[0]}`)
  }
  started.once('exit', lost).once('error', lost)
  started.stdin?.on('error', () => {})
  // Neither it nor the pipe should keep us running.
  started.unref()
  const pipe = started.stdin as Socket | null // a pipe, although its type says less
  pipe?.unref()
  for (const [group, when] of groups) started.stdin?.write(`${when} ${group}\n`)
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // gone
  }
}

/** Distinguishes a process from a later one with the same id, even after a reboot. Linux only. */
function birthOf(pid: number): string | undefined {
  const ticks = readOr(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')[19]
  return ticks && `${bootId()}:${ticks}`
}
const bootId = () => readOr('/proc/sys/kernel/random/boot_id') ?? ''

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
