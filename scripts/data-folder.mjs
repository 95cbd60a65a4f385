import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Start time of a process in the kernel's ticks, which distinguishes it from a later one with the same id. Linux only.
 */
function birth(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[19]
  } catch {
    return ''
  }
}
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** A path as people are told it: short below the working folder, in full elsewhere. */
export function shownPath(file) {
  const short = path.relative('', file)
  return short.startsWith('..') ? path.resolve(file) : short
}

const nameBeside = (file) => `${file}.${process.pid}.${randomBytes(4).toString('hex')}`

/** Makes a lock file for this process. Returns the process that has it instead, if one does. */
export function takeLock(file) {
  // Others see it only when it says whose it is: they take an unfinished one for that of a process that was killed.
  const draft = nameBeside(file)
  writeFileSync(draft, JSON.stringify({ pid: process.pid, birth: birth(process.pid) }), { flag: 'wx', mode: 0o600 })
  try {
    return linkLock(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function linkLock(draft, file) {
  for (const isRetry of [false, true]) {
    try {
      linkSync(draft, file)
      return undefined
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      let text
      let holder
      try {
        text = readFileSync(file, 'utf8')
        holder = JSON.parse(text)
      } catch {
        // cut off by a kill, so nobody holds it
      }
      if (isRetry || (holder && isAlive(holder.pid) && birth(holder.pid) === holder.birth))
        return holder?.pid ?? 'unknown'
      removeLeft(file, text)
    }
  }
}

/** Removes a lock that nobody holds. Another process may have done so since, and taken it: that lock is put back. */
function removeLeft(file, text) {
  const aside = nameBeside(file)
  try {
    renameSync(file, aside)
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, file)
  } catch (error) {
    // The other one has just removed it, or a third one has taken it.
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/**
 * Locks the data folder for this process. Returns a function that unlocks it; throws an Error that names the holder.
 */
export function lockDataFolder(dataDir) {
  try {
    mkdirSync(dataDir, { recursive: true })
    // As root, the users of the database and of deployments pass through, and can list nothing.
    chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  } catch ({ message }) {
    throw new Error(`${dataDir} cannot be the data folder (${message}). Set PILOTHOUSE_DATA to a folder of your own.`)
  }
  const file = path.join(dataDir, 'lock.json')
  let holder
  try {
    holder = takeLock(file)
  } catch (error) {
    throw new Error(`The data folder ${dataDir} cannot be written to: ${error.message}`)
  }
  if (holder)
    throw new Error(
      `The data folder ${dataDir} is in use by another Pilothouse (process ${holder}). Stop it, or set PILOTHOUSE_DATA to another folder.`,
    )
  return () => rmSync(file, { force: true })
}

/** A secret in the data folder, created on first use and readable only by this user. */
export function keptSecret(dataDir, name) {
  const file = path.join(dataDir, name)
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8').trim()
}
