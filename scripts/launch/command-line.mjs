// The options of the `pilothouse` command. Each is another name for an environment variable.
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

/** What talks to a console that is running; all else starts one. */
export const COMMANDS = ['deploy', 'logs', 'runs', 'open']

export const HELP = `Usage: pilothouse [options] [address ...]

Starts the console with an embedded platform and two sample agents, and opens it in the browser.
With addresses of running agent servers, or of one control plane, it attaches to those instead.

  pilothouse                           try it
  pilothouse http://localhost:8123     attach to an agent server

Options
  --api-key KEY   key that is sent to the addresses (or set AGENT_SERVER_API_KEY, which other users cannot see)
  --port PORT     port of the console; 3000 if not given
  --host HOST     address to listen on; 127.0.0.1 if not given. Other addresses need a password to sign in.
  --data FOLDER   folder for all data
  --no-open       do not open the browser
  --version       print the version
  --help          print this help

Every setting of the documentation can be set as an environment variable too.

Commands, for a console that is running:
  pilothouse deploy [folder]           deploy a folder, follow it to its end, and print its URL
  pilothouse logs NAME [-f]            print the lines of a deployment; -f goes on
  pilothouse runs [NAME]               list runs, newest first
  pilothouse open [NAME]               open the console, or a deployment in it

They need PILOTHOUSE_TOKEN, an API token, and PILOTHOUSE_URL, http://localhost:3000 if not given.
  --name NAME      deploy: its name; the folder's if not given
  --repo URL       deploy: the repository; the remote "origin" if not given
  --ref REF        deploy: a branch, or a tag as refs/tags/NAME; the current branch if not given
  --config FILE    deploy: the graph file in the repository
  --upload         deploy: send the folder itself; so it is where there is no repository with a remote
  --type TYPE      deploy: dev or prod, for a new deployment
  --integration ID deploy: who reads the repository, for a new deployment
  --no-wait        deploy: do not wait for its end
  --minutes N      deploy: give up after this time; 20 if not given
  --build          logs: of the build
  --revision ID    logs: of one revision
  --failed         runs: only failed ones
  --limit N        runs: how many
  --json           print JSON
Exit codes: 0 done, 1 not deployed, 2 wrong use, 3 console not reachable or token refused, 4 out of time.
`

/** An address without scheme is a local one, as in `localhost:8123`. */
function toAddress(text) {
  const address = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`"${text}" is not an address such as http://localhost:8123.`)
  if (url.username || url.password || url.search || url.hash)
    throw new Error(`"${url.host}": leave out user name, password, query and fragment. A key goes into --api-key.`)
  return address
}

/**
 * Where a user's programs keep their data.
 * @param {{ platform?: string, env?: Record<string, string | undefined>, home?: string }} options
 */
export function userDataFolder({ platform = process.platform, env = process.env, home = os.homedir() } = {}) {
  if (platform === 'darwin') return path.join(home, 'Library/Application Support/Pilothouse')
  if (platform === 'win32') return path.join(env.LOCALAPPDATA || path.join(home, 'AppData/Local'), 'Pilothouse')
  const given = env.XDG_DATA_HOME
  // The standard says to ignore a relative path.
  return path.join(given && path.isAbsolute(given) ? given : path.join(home, '.local/share'), 'pilothouse')
}

/**
 * Reads the command line. Throws an Error that says what is wrong.
 * @param {string[]} args
 * @returns {{ show?: 'help' | 'version', variables: Record<string, string>, opensBrowser: boolean }}
 */
export function readCommandLine(args) {
  const { values, positionals } = parseArgs({
    args,
    options: {
      'api-key': { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      'no-open': { type: 'boolean' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  })
  const { 'api-key': key, port, host, data } = values
  for (const [name, value] of Object.entries({ 'api-key': key, port, host, data }))
    if (value?.trim() === '') throw new Error(`--${name} needs a value.`)
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw new Error(`--port ${port}: give a number from 1 to 65535.`)
  const addresses = positionals.flatMap((given) => given.split(',')).map(toAddress)
  const variables = {
    ...(addresses.length > 0 && { AGENT_SERVER_URL: addresses.join(' ') }),
    ...(key && { AGENT_SERVER_API_KEY: key }),
    ...(port && { PORT: port }),
    ...(host && { HOST: host }),
    ...(data && { PILOTHOUSE_DATA: path.resolve(data) }),
  }
  return {
    ...((values.help || values.version) && { show: values.help ? 'help' : 'version' }),
    variables,
    opensBrowser: !values['no-open'],
  }
}
