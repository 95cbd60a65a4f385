// The console's HTTP API, as the commands use it.

/** What a command prints and ends with. See EXIT. */
export class CommandError extends Error {
  /** @param {string} message @param {number} code */
  constructor(message, code) {
    super(message)
    this.code = code
  }
}

/** Exit codes: `failed` is the deployment's fault, `unavailable` the console's or the token's. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 3, timeout: 4 }

const UPLOAD_MS = 30 * 60_000

const REFUSED = {
  401: 'The token is missing, wrong, revoked or expired. Make one under Settings → API tokens.',
  403: 'The token’s role is too low for this.',
}

/**
 * @param {{ url: string, token: string | undefined, request?: typeof fetch }} options
 */
export function createApi({ url, token, request = fetch }) {
  const base = `${url.replace(/\/+$/, '')}/api/v1`
  /** Returns the JSON of a success. Throws a CommandError otherwise. */
  async function ask(method, path, body, key) {
    if (!token)
      throw new CommandError('Set PILOTHOUSE_TOKEN to an API token. Make one under Settings → API tokens.', EXIT.usage)
    let response
    try {
      response = await request(`${base}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(120_000),
      })
    } catch (error) {
      throw new CommandError(`${url} is not reachable: ${error.cause?.message ?? error.message}`, EXIT.unavailable)
    }
    const text = await response.text()
    if (response.ok) return parsed(text, url)
    const problem = parsedOr(text, {})
    const fields = (problem.fields ?? [])
      .map(({ path: place, message }) => `\n  ${place.join('.')}: ${message}`)
      .join('')
    const code =
      response.status === 400 || response.status === 422 || response.status === 409 ? EXIT.usage : EXIT.unavailable
    throw new CommandError(
      `${problem.detail ?? REFUSED[response.status] ?? `The console answered ${response.status}.`}${fields}`,
      code,
    )
  }
  /** Sends a file to an address that needs no token. */
  async function put(address, headers, file) {
    const { origin } = new URL(address)
    let response
    try {
      response = await request(address, { method: 'PUT', headers, body: file, signal: AbortSignal.timeout(UPLOAD_MS) })
    } catch (error) {
      throw new CommandError(
        `The control plane takes uploads at ${origin}, which is not reachable from here: ${error.cause?.message ?? error.message}. Push the folder to a repository and deploy that.`,
        EXIT.unavailable,
      )
    }
    if (!response.ok)
      throw new CommandError(
        `${origin} did not take the upload: ${parsedOr(await response.text(), {}).detail ?? response.status}`,
        EXIT.unavailable,
      )
  }
  return {
    put,
    get: (path, query = {}) => ask('GET', `${path}${queryOf(query)}`),
    post: (path, body, key) => ask('POST', path, body, key),
    patch: (path, body, key) => ask('PATCH', path, body, key),
  }
}

function queryOf(query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return search && `?${search}`
}

function parsedOr(text, other) {
  try {
    return JSON.parse(text)
  } catch {
    return other
  }
}

function parsed(text, url) {
  const value = parsedOr(text, undefined)
  if (value === undefined) throw new CommandError(`${url} is not a Pilothouse console.`, EXIT.unavailable)
  return value
}

/** The deployment with this name or id. */
export async function findDeployment(api, name) {
  const { deployments } = await api.get('/deployments', { name, limit: 100 })
  const found = deployments.find((one) => one.name === name)
  if (found) return found
  if (/^[0-9a-f-]{36}$/i.test(name)) return api.get(`/deployments/${encodeURIComponent(name)}`)
  return undefined
}

/** @throws CommandError if there is none */
export async function requireDeployment(api, name) {
  const found = await findDeployment(api, name)
  if (!found) throw new CommandError(`This workspace has no deployment ${JSON.stringify(name)}.`, EXIT.usage)
  return found
}
