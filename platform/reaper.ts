import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Ends what we started when we are gone without a word (kill -9). A process in an endless loop notices no closed
 * channel, and an install command has none; so a shell, a megabyte in size, holds the other end of a pipe and knows our
 * process groups. When the pipe closes it ends them: builds at once, since the next start clears their folders, agent
 * servers after a moment, in which the healthy ones put their runs back in order by themselves.
 */
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
[ -z "$later" ] || sleep 3
end "$later"
`
type When = 'now' | 'later'

const groups = new Map<number, When>()
let shell: ChildProcess | undefined

/** Watches over the process group that a `detached` child leads, until the given function is called. */
export function reapWithUs(group: number | undefined, when: When): () => void {
  // Windows has neither groups nor this shell; there, closed channels have to do.
  if (group === undefined || process.platform === 'win32') return () => {}
  groups.set(group, when)
  tell(`${when} ${group}`)
  return () => {
    if (groups.delete(group)) tell(`gone ${group}`)
  }
}

function tell(line: string): void {
  if (shell) {
    shell.stdin?.write(`${line}\n`)
    return
  }
  // In a group of its own, or what kills our group would take it along.
  const started = spawn('/bin/sh', ['-c', SCRIPT], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell = started
  const lost = () => {
    if (shell !== started) return
    shell = undefined
    const [first] = groups
    if (first) tell(`${first[1]} ${first[0]}`)
  }
  started.once('exit', lost).once('error', lost)
  started.stdin?.on('error', () => {})
  // Neither it nor the pipe is a reason for us to stay.
  started.unref()
  const pipe = started.stdin as Socket | null // what Node makes of a pipe, though its type says less
  pipe?.unref()
  for (const [group, when] of groups) started.stdin?.write(`${when} ${group}\n`)
}
