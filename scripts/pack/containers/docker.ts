import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../bootstrap.mjs'

/** BuildKit is a choice in Docker before version 23. */
const ENV = { ...process.env, DOCKER_BUILDKIT: '1' }
const HEALTH_MS = 180_000
const works = (...args: string[]) => spawnSync('docker', args, { stdio: 'ignore', env: ENV }).status === 0

/** Why nothing is tried in containers; undefined if it is. */
export function missingDocker(): string | undefined {
  if (!works('version')) return 'no Docker runs here'
  if (!works('compose', 'version')) return 'Docker Compose 2 is not installed'
  if (process.env.npm_lifecycle_event !== 'test:containers') return 'it takes minutes, npm run test:containers runs it'
  return undefined
}

/** Images of this tag are tried in place of new ones. */
export const GIVEN = process.env.CONTAINERS_TAG
export const say = (line: string) => console.log(`[containers] ${line}`)
export const secondsSince = (began: number) => `${((Date.now() - began) / 1000).toFixed(1)} s`
/** All names of a test begin with it. */
export const newPrefix = () => `pilothouse-try-${randomBytes(3).toString('hex')}`
export const secret = () => randomBytes(32).toString('base64')
export const envOf = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `--env ${name}='${value}'`)
    .join(' ')

type Options = { cwd?: string; env?: Record<string, string> }

/** Runs a shell command to its end, and gives all that it printed. */
export function attempt(command: string, { cwd = root, env = {} }: Options = {}) {
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const child = spawn('sh', ['-ec', command], { cwd, env: { ...ENV, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** Like `attempt`, for a command that has to work. */
export async function run(command: string, options?: Options): Promise<string> {
  const { code, output } = await attempt(command, options)
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output.slice(-4000)}`)
  return output.trim()
}

export const inspect = async (name: string) => JSON.parse(await run(`docker inspect ${name}`))[0]

/** Waits until Docker calls the container healthy. Gives the seconds since its start. */
export async function healthy(name: string): Promise<string> {
  for (const end = Date.now() + HEALTH_MS; ; await sleep(250)) {
    const { State } = await inspect(name)
    if (State.Health.Status === 'healthy') return secondsSince(Date.parse(State.StartedAt))
    if (!State.Running || Date.now() > end)
      throw new Error(`${name} is ${State.Status}, not healthy:\n${(await run(`docker logs ${name}`)).slice(-4000)}`)
  }
}

/** What the processes of a container may do. */
export async function rightsOf(name: string) {
  const status = await run(`docker exec ${name} cat /proc/1/status`)
  const field = (of: string) => new RegExp(`^${of}:\\s+(\\S+)`, 'm').exec(status)?.[1]
  const { code } = await attempt(`docker exec ${name} touch /app/written`)
  return { user: field('Uid'), capabilities: field('CapEff'), gainsNone: field('NoNewPrivs'), isReadOnly: code !== 0 }
}
export const NO_RIGHTS = { user: '1000', capabilities: '0000000000000000', gainsNone: '1', isReadOnly: true }

/** Stops a container as `docker stop` does. Gives its exit code. */
export async function stop(name: string) {
  const began = Date.now()
  await run(`docker stop ${name}`)
  say(`${name}: stopped in ${secondsSince(began)}`)
  return (await inspect(name)).State.ExitCode as number
}

/** Removes everything whose name begins with the prefix. */
export async function removeAll(prefix: string): Promise<void> {
  const filter = `--filter name=^/?${prefix}`
  await attempt(`docker ps --all --quiet ${filter} | xargs --no-run-if-empty docker rm --force --volumes`)
  await attempt(`docker volume ls --quiet --filter name=${prefix} | xargs --no-run-if-empty docker volume rm`)
  await attempt(`docker network ls --quiet --filter name=${prefix} | xargs --no-run-if-empty docker network rm`)
  // By name: by id, other names of the same images would go too.
  const names = `docker images --format '{{.Repository}}:{{.Tag}}' '${prefix}*'`
  await attempt(`${names} | xargs --no-run-if-empty docker rmi`)
}
