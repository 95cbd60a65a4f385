import { constants, existsSync } from 'node:fs'
import { access, writeFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import path from 'node:path'
import { operatorVariable } from '../kernel/env'
import { BuildError, type CommandOptions, runCommand } from './command'
import { localPath, PROTOCOLS } from './git-address'
import { gitAuthorities } from './git-authorities'

export type GitOptions = Pick<CommandOptions, 'confinement' | 'writable'> & {
  cwd: string
  env: Record<string, string>
  signal: AbortSignal
  timeoutMs?: number
  /** Called with git's stderr output as it arrives. */
  onLine?: (line: string) => void
}

const TIMEOUT_MS = 10 * 60_000
/** Disables hooks and the filter programs that a repository's attributes could run. */
const QUIET = ['core.hooksPath=/dev/null', 'filter.lfs.smudge=', 'filter.lfs.process=', 'filter.lfs.required=false']

/** Advice for common failures, appended to git's own message. */
const HINTS: [said: RegExp, hint: string][] = [
  [
    /host key verification failed/i,
    'The host’s key is unknown: connect to it once with ssh, as the user that runs the platform.',
  ],
  [
    /could not read (username|password)|authentication failed|terminal prompts disabled/i,
    'The repository requires credentials: store them in git’s credential helper or the folder of PILOTHOUSE_GIT_CREDENTIALS, or use ssh.',
  ],
  [
    /certificate verification failed|unable to get local issuer|self[- ]signed certificate/i,
    'The authority of the host’s certificate is unknown: name its file in NODE_EXTRA_CA_CERTS of the platform.',
  ],
  [/permission denied \(/i, 'No ssh key of the user that runs the platform is accepted there.'],
]

/** Runs git and returns the lines of its output. Rejects with a BuildError that includes git's message. */
export async function git(args: readonly string[], options: GitOptions): Promise<string[]> {
  const { cwd, env, signal, confinement, writable, timeoutMs = TIMEOUT_MS } = options
  const lines: string[] = []
  const said: string[] = []
  try {
    await runCommand(['git', ...QUIET.flatMap((setting) => ['-c', setting]), ...args], {
      label: `git ${args[0]}`,
      cwd,
      env,
      timeoutMs,
      signal,
      confinement,
      ...(writable && { writable }),
      onLine: (line, isError) => {
        if (!isError) return lines.push(line)
        said.push(line)
        options.onLine?.(line)
      },
    })
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    const text = said.join('\n')
    const hint = HINTS.find(([pattern]) => pattern.test(text))?.[1]
    throw new BuildError([error.message, ...said, hint].filter(Boolean).join('\n'))
  }
  return lines
}

const SSH = 'ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4'

/** Variables that set these options for one git. */
const optionVariables = (options: [name: string, value: string][]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(options.length),
  ...Object.fromEntries(
    options.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
})

/** What git needs to reach a repository: credentials from files, to which it does not write, and authorities of one's own. */
async function accessVariables(): Promise<Record<string, string>> {
  const folder = operatorVariable('PILOTHOUSE_GIT_CREDENTIALS')
  const authorities = await gitAuthorities(folder)
  const options: [string, string][] = authorities ? [['http.sslCAInfo', authorities]] : []
  if (!folder) return optionVariables(options)

  const [credentials, key, hosts] = ['credentials', 'ssh-privatekey', 'known_hosts'].map((name) =>
    path.join(folder, name),
  )
  const option = (name: string, file = '') => (existsSync(file) ? ` -o${name}=${quoted(file)}` : '')
  options.push([
    'credential.helper',
    `!f() { test "$1" != get || git credential-store --file=${quoted(credentials)} get; }; f`,
  ])
  return {
    ...optionVariables(options),
    GIT_SSH_COMMAND: SSH + option('IdentityFile', key) + option('UserKnownHostsFile', hosts),
  }
}

const quoted = (text = '') => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * No prompts, no other protocols, and timeouts for stalled transfers. A local repository may belong to another user,
 * which git only allows for folders named in a configuration file.
 */
export async function gitEnvironment(
  base: Record<string, string>,
  url?: string,
  configFile?: string,
): Promise<Record<string, string>> {
  const env: Record<string, string> = {
    ...base,
    LC_ALL: 'C.UTF-8',
    GIT_ALLOW_PROTOCOL: PROTOCOLS,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GCM_INTERACTIVE: 'never',
    // Rejects unknown host keys, unless the user's ssh settings allow them.
    GIT_SSH_COMMAND: SSH,
    GIT_HTTP_LOW_SPEED_LIMIT: '1000',
    GIT_HTTP_LOW_SPEED_TIME: '60',
    GIT_LFS_SKIP_SMUDGE: '1',
  }
  if (url) Object.assign(env, await accessVariables())
  const settings = await ownSettings(env.HOME)
  if (env.HOME && !settings) env.GIT_CONFIG_GLOBAL = devNull
  const local = url && localPath(url)
  if (local && configFile) {
    const folders = [local, path.join(local, '.git')].map((one) => `  directory = ${JSON.stringify(one)}\n`)
    const include = settings ? `[include]\n  path = ${JSON.stringify(settings)}\n` : ''
    await writeFile(configFile, `${include}[safe]\n${folders.join('')}`, { mode: 0o600 })
    env.GIT_CONFIG_GLOBAL = configFile
  }
  return env
}

/** The user's own settings; undefined where git would fail at looking for them, as a service does whose home is closed. */
async function ownSettings(home: string | undefined): Promise<string | undefined> {
  if (!home) return undefined
  const file = path.join(home, '.gitconfig')
  const problem = await access(file, constants.R_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code,
  )
  return problem === undefined || problem === 'ENOENT' || problem === 'ENOTDIR' ? file : undefined
}
