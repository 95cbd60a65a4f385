import { readdirSync, readFileSync } from 'node:fs'
import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'

const CONCURRENCY = 32

/**
 * Changes the owner of a tree, its root last, so that a root with the right owner means a complete tree. Other names of
 * a file elsewhere (hard links) keep their owner.
 */
export async function giveTree(folder: string, uid: number): Promise<void> {
  await chmod(folder, 0o700) // where there are no namespaces, other deployments see the folder
  if ((await lstat(folder)).uid === uid) return
  const waiting = [folder]
  const folders: string[] = []
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    folders.push(place)
    const files: string[] = []
    for (const entry of await readdir(place, { withFileTypes: true }))
      (entry.isDirectory() ? waiting : files).push(path.join(place, entry.name))
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let file = files.pop(); file !== undefined; file = files.pop()) await giveOne(file, uid)
      }),
    )
  }
  for (const place of folders.reverse()) await lchown(place, uid, uid)
}

async function giveOne(file: string, uid: number): Promise<void> {
  const { nlink, uid: owner } = await lstat(file)
  if (nlink === 1 && owner !== uid) await lchown(file, uid, uid)
}

/** Kills every process of a user, except in the groups that `kept` lead, until none is left. */
export async function endProcessesOf(uid: number, kept: readonly number[]): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds += 1) {
    const found = processesOf(uid).filter(({ group }) => !kept.includes(group))
    if (!found.length) return
    for (const { pid } of found)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // gone
      }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function processesOf(uid: number): { pid: number; group: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8')
      if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) !== uid || /^State:\s+Z/m.test(status)) return []
      const [, , group] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return [{ pid: Number(name), group: Number(group) }]
    } catch {
      return []
    }
  })
}
