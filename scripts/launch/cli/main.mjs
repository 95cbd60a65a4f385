// The commands that talk to a running console over its HTTP API.
import { parseArgs } from 'node:util'
import { openInBrowser } from '../open-browser.mjs'
import { CommandError, createApi, EXIT, requireDeployment } from './api.mjs'
import { deploy } from './deploy.mjs'
import { followLog } from './logs.mjs'

const OPTIONS = /** @type {const} */ ({
  name: { type: 'string' },
  repo: { type: 'string' },
  ref: { type: 'string' },
  config: { type: 'string' },
  type: { type: 'string' },
  integration: { type: 'string' },
  upload: { type: 'boolean' },
  'no-wait': { type: 'boolean' },
  minutes: { type: 'string' },
  follow: { type: 'boolean', short: 'f' },
  build: { type: 'boolean' },
  revision: { type: 'string' },
  failed: { type: 'boolean' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
})
const isLoopback = (url) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/** @param {string | undefined} text @param {string} name */
function numberOf(text, name) {
  if (text === undefined) return undefined
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1)
    throw new CommandError(`--${name} ${text}: give a whole number from 1.`, EXIT.usage)
  return Number(text)
}

/**
 * Runs a command. Returns its exit code.
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, request?: typeof fetch, folder?: string, out?: (line: string) => void,
 *   err?: (line: string) => void, open?: (url: string) => unknown, pauseMs?: number, isOpen?: () => boolean }} options
 */
export async function runCommand(args, options = {}) {
  const { env = process.env, request, folder = process.cwd(), out = console.log, err = console.error } = options
  const { open = openInBrowser, pauseMs, isOpen = () => true } = options
  try {
    const [command = '', ...rest] = args
    const { values, positionals } = readArgs(rest)
    if (positionals.length > 1) throw new CommandError(`${command} takes one name at most.`, EXIT.usage)
    const url = env.PILOTHOUSE_URL || 'http://localhost:3000'
    if (!URL.canParse(url))
      throw new CommandError('PILOTHOUSE_URL is not an address such as https://console.example.com.', EXIT.usage)
    const api = createApi({ url, token: env.PILOTHOUSE_TOKEN, ...(request && { request }) })
    const [given] = positionals
    const page = async (part) => {
      const { workspace } = await api.get('/token')
      return `${url.replace(/\/+$/, '')}/${encodeURIComponent(workspace)}${part}`
    }
    if (command === 'deploy') {
      const { name, repo, ref, config, type, integration, upload } = values
      const asked = Object.fromEntries(
        Object.entries({ name, repo, ref, config, type, integration, upload }).filter(([, one]) => one !== undefined),
      )
      const done = await deploy(api, {
        ...asked,
        ...(values.minutes && { minutes: numberOf(values.minutes, 'minutes') }),
        ...(pauseMs && { pauseMs }),
        folder: given ?? folder,
        isLocal: isLoopback(url),
        waits: !values['no-wait'],
        print: values.json ? err : out,
      })
      const console_url = await page(`/deployments/${done.id}`)
      if (values.json) out(JSON.stringify({ ...done, console_url }))
      else
        out(
          `${done.status === 'DEPLOYED' ? 'Deployed' : 'Started'}: ${done.url ?? console_url}\nIn the console: ${console_url}`,
        )
    } else if (command === 'logs') {
      if (!given) throw new CommandError('logs needs the name of a deployment.', EXIT.usage)
      const { id } = await requireDeployment(api, given)
      const { revision, build, follow } = values
      await followLog({
        ...{ api, deployment: id, type: build ? 'build' : 'deploy', print: out },
        ...(revision && { revision }),
        ...(pauseMs && { pauseMs }),
        isOpen: () => Boolean(follow) && isOpen(),
      })
    } else if (command === 'runs') {
      const deployment = given && (await requireDeployment(api, given)).id
      const limit = numberOf(values.limit, 'limit')
      const { runs, is_partial } = await api.get('/runs', {
        deployment,
        status: values.failed ? 'failed' : undefined,
        limit,
      })
      if (values.json) out(JSON.stringify(runs))
      else {
        const named = given || runs.length === 0 ? [] : (await api.get('/deployments', { limit: 100 })).deployments
        const names = new Map(named.map(({ id, name }) => [id, name]))
        for (const { started_at, status, deployment_id, assistant, id, error, input } of runs) {
          const where = given ? [] : [names.get(deployment_id) ?? deployment_id]
          out([started_at, status.padEnd(11), ...where, assistant, id, error ?? input ?? ''].join('  ').trimEnd())
        }
      }
      if (is_partial) err('There may be more runs that were started elsewhere.')
    } else {
      const address = await page(given ? `/deployments/${(await requireDeployment(api, given)).id}` : '')
      out(address)
      await open(address)
    }
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    err(`pilothouse: ${error.message}`)
    return error.code
  }
}

/**
 * @param {string[]} args
 * @returns {{ values: any, positionals: string[] }}
 */
function readArgs(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new CommandError(`${error.message.split('. To specify')[0]}\nSee pilothouse --help.`, EXIT.usage)
  }
}
