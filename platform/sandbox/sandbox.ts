import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { asProcessEnv, operatorVariable } from '../kernel/env'
import { bubblewrapCommand } from './bubblewrap'
import { type Confinement, handEnvironment, RUN_SCRIPT, UNCONFINED } from './confinement'
import { mountsFor, type View, viewOfMachine } from './mounts'
import { endProcessesOf, giveTree } from './owner'
import { unshareCommand } from './unshare'

/** `user`: only a user of its own; `namespaces`: its own view of the machine, and as root also a user of its own. */
export type Isolation = 'namespaces' | 'user' | 'none'

export type SandboxOptions = {
  dataDir: string
  /** The program of an agent server. */
  entry: string
  databaseUrls: readonly string[]
  /** `off`: try nothing. */
  mode: 'auto' | 'off'
  /** What to try, for tests; everything if absent. */
  methods?: readonly string[] | undefined
  /** The first user id; a deployment's is this plus its number. */
  uidBase: number
  /** Folders outside the data folder that every deployment may read. */
  readable: readonly string[]
  /** Folders and files that the platform fills for all deployments. */
  shared: readonly string[]
}

export type Sandbox = {
  readonly isolation: Isolation
  /** Why programs are not isolated from the operator; undefined if they are. */
  readonly warning: string | undefined
  confine(deployment: { id: string; number: number }): Confinement
}

type Method = {
  isolation: Isolation
  /** How many processes are between ours and the program. */
  depth: number
  command(argv: readonly string[], cwd: string, writable: readonly string[], uid: number): [string, ...string[]]
}

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const PROBE_MS = 10_000

/** Finds the strongest isolation that works on this machine by trying each. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const reasons: string[] = []
  if (options.mode === 'off') reasons.push('PILOTHOUSE_SANDBOX is off')
  else if (process.platform !== 'linux') reasons.push(`there is no sandbox for ${process.platform}`)
  else {
    const { readable, shared } = options
    const view = viewOfMachine({ ...options, readable: [...readable, ...shared], root: process.cwd() })
    for (const [name, method] of methods(view, options.dataDir)) {
      if (options.methods?.includes(name) === false) continue
      const confine = confiner(method, options)
      const failure = await tryOut(confine, options)
      if (!failure) return { isolation: method.isolation, warning: undefined, confine }
      reasons.push(`${name}: ${failure}`)
    }
  }
  const warning = `Deployed code is not isolated: it runs with the operator's rights (${reasons.join('; ')}).`
  return { isolation: 'none', warning, confine: () => UNCONFINED }
}

/** In order of preference. */
function methods(view: View, dataDir: string): [name: string, Method][] {
  const root = path.join(dataDir, 'sandbox')
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const unshare = (isRoot: boolean): Method => ({
    isolation: 'namespaces',
    depth: 2,
    command: (argv, cwd, writable, uid) =>
      unshareCommand({ argv, root, cwd, mounts: mountsFor(view, writable), uid: isRoot ? uid : undefined }),
  })
  if (process.getuid?.() === 0)
    return [
      ['unshare', unshare(true)],
      [
        'setpriv',
        {
          isolation: 'user',
          depth: 1,
          command: (argv, _cwd, _writable, uid) => [
            'setpriv',
            ...['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--no-new-privs'],
            ...['--inh-caps=-all', '--bounding-set=-all', '--', '/bin/sh', '-c', `ulimit -c 0; ${RUN_SCRIPT}`, 'sh'],
            ...argv,
          ],
        },
      ],
    ]
  const bubblewrap: Method = {
    isolation: 'namespaces',
    depth: 2,
    command: (argv, cwd, writable) => bubblewrapCommand({ argv, cwd, mounts: mountsFor(view, writable) }),
  }
  return [
    ['bwrap', bubblewrap],
    ['unshare', unshare(false)],
  ]
}

function confiner(method: Method, { uidBase, dataDir }: SandboxOptions): Sandbox['confine'] {
  const isRoot = process.getuid?.() === 0
  return ({ id, number }) => {
    const uid = uidBase + number
    // Its parent must not belong to the deployment, which could replace it with a link to another folder.
    const home = path.join(dataDir, 'cache/packages', id, 'home')
    return {
      spawn(argv, { cwd, env, stdio, writable }) {
        const [file, ...args] = method.command(argv, cwd, [...writable, ...(existsSync(home) ? [home] : [])], uid)
        const child = spawn(file, args, {
          // The program changes to its folder itself: with our rights the folder may be out of reach.
          cwd: method.isolation === 'user' ? cwd : '/',
          env: asProcessEnv({ PATH: `${operatorVariable('PATH') ?? ''}:${SYSTEM_PATH}` }),
          stdio: ['pipe', ...stdio.slice(1)],
          detached: true,
        })
        handEnvironment(child, confinedEnvironment(env, home))
        return child
      },
      programOf: (child) => descendant(child.pid, method.depth),
      give: async (folder) => (isRoot ? giveTree(folder, uid) : undefined),
      // A process namespace ends with its first process.
      endStrays: async (kept) => (method.isolation === 'user' ? endProcessesOf(uid, kept) : undefined),
    }
  }
}

/** Without variables that point to folders of the operator. */
function confinedEnvironment(given: Record<string, string>, home: string): Record<string, string> {
  const ofOperator = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TMP', 'TEMP']
  const kept = Object.entries(given).filter(
    ([name, value]) => !(ofOperator.includes(name) && value === operatorVariable(name)),
  )
  return { HOME: home, ...Object.fromEntries(kept) }
}

function descendant(pid: number | undefined, depth: number): number | undefined {
  if (depth === 0 || pid === undefined) return pid
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return first ? descendant(Number(first), depth - 1) : undefined
  } catch {
    return undefined
  }
}

/** Runs Node in the sandbox. Returns what is wrong, or undefined. */
async function tryOut(confine: Sandbox['confine'], { dataDir, entry }: SandboxOptions): Promise<string | undefined> {
  const id = 'sandbox-test'
  const folder = path.join(dataDir, 'builds', id)
  const confinement = confine({ id, number: 0 })
  const script = `const fs = require('node:fs')
fs.writeFileSync(${JSON.stringify(path.join(folder, 'probe'))}, '')
fs.accessSync(${JSON.stringify(entry)})
let seen
try { seen = fs.readdirSync(${JSON.stringify(path.join(dataDir, 'platform'))}) } catch {}
if (seen) throw new Error('it sees the data folder')
setTimeout(() => {}, 5000)
console.log('works')`
  try {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    await confinement.give(folder)
    const child = confinement.spawn([process.execPath, '-e', script], {
      cwd: folder,
      env: { PATH: SYSTEM_PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
      writable: [folder],
    })
    const failure = await outcomeOf(child)
    if (failure) return failure
    if (confinement.programOf(child) === undefined) return 'process numbers are not known'
    process.kill(-(child.pid as number), 'SIGKILL')
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function outcomeOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = ''
    child.stderr?.on('data', (text) => {
      said += text
    })
    child.stdout?.on('data', (text) => {
      if (String(text).includes('works')) resolve(undefined)
    })
    const timer = setTimeout(() => {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
      resolve('no response')
    }, PROBE_MS)
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      clearTimeout(timer)
      const line = said.split('\n').find((text) => /\S/.test(text) && !/^\S+:\d+$/.test(text)) ?? `exit code ${code}`
      resolve(line.trim().slice(0, 200))
    })
  })
}
