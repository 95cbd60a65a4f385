import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { endOrphanedProcesses } from './reaper'

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-reaper-'))
const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** A process with its own group, and its start time as in the journal. */
function startGroup() {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  started.push(child)
  const pid = String(child.pid)
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  const ticks = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[19]
  return { pid, ticks, ended, note: path.join(folder, pid) }
}
const boot = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
const isAlive = (pid: string) =>
  !/^State:\s+Z/m.test(existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : 'State: Z')

describe.skipIf(process.platform !== 'linux')('the next start', () => {
  test('kills the processes that the last start recorded, but no later process with the same number', async () => {
    const ours = startGroup()
    const reused = startGroup()
    const rebooted = startGroup()
    writeFileSync(ours.note, `${boot()}:${ours.ticks} now`)
    writeFileSync(reused.note, `${boot()}:${Number(reused.ticks) - 1} now`)
    writeFileSync(rebooted.note, `another-boot:${rebooted.ticks} now`)
    endOrphanedProcesses(folder)
    expect(await ours.ended).toBe('SIGKILL')
    expect([isAlive(reused.pid), isAlive(rebooted.pid)]).toEqual([true, true])
    expect([ours, reused, rebooted].map(({ note }) => existsSync(note))).toEqual([false, false, false])
  })
})
