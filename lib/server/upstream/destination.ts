import 'server-only'
import { type AddressRange, parseRange, type Reach } from '@/lib/contracts/wire/address'
import { AppError } from '@/lib/errors'
import type { DirectServer } from '../access/direct-servers'
import type { Workspace } from '../access/workspaces'
import { env } from '../process/env'

// Where a workspace's requests go, how far they may reach, and which key they carry. A key is bound to origins: it is sent
// to the workspace's own base address and to the origins its administrator named, never to an address that only an
// upstream's record or a range names.

export type Destination = {
  /** What the server is, for messages. */
  what: 'control plane' | 'agent server' | 'tracing server'
  base: URL
  reach: Reach
  /** Authentication headers; empty where the key is not bound to this origin. */
  credentials: Record<string, string>
  /** A key exists but this origin does not get it. */
  isKeyWithheld: boolean
}

/** A base address as a URL. Throws AppError for what no server of ours can have. */
export function parseBase(text: string, what: Destination['what']): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new AppError('invalid', `The address of the ${what} is not an http or https address.`)
  if (url.username || url.password)
    throw new AppError(
      'invalid',
      `The address of the ${what} holds a user name or password. Leave it out; keys are set in the workspace.`,
    )
  if (url.search || url.hash)
    throw new AppError('invalid', `The address of the ${what} may not hold a query or fragment.`)
  return url
}

/** Whether an origin is one of a list; `https://*.example.com` stands for every host below example.com. */
export function isListedOrigin(url: URL, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const [scheme, rest] = pattern.split('://*.', 2)
    if (scheme === undefined || rest === undefined)
      return URL.canParse(pattern) && new URL(pattern).origin === url.origin
    const parent = `${scheme}://${rest}`
    if (!URL.canParse(parent)) return false
    const { protocol, port, hostname } = new URL(parent)
    return url.protocol === protocol && url.port === port && url.hostname.endsWith(`.${hostname}`)
  })
}

/** What the operator allows in every workspace: origins, and ranges of addresses. */
export function allowedUpstreams(): { origins: string[]; ranges: AddressRange[] } {
  const entries = env().ALLOWED_UPSTREAMS
  return {
    origins: entries.filter((entry) => entry.includes('://')),
    ranges: entries.map(parseRange).filter((range) => range !== undefined),
  }
}

/** Where control-plane operations of a workspace go. Throws AppError unsupported for one that has no control plane. */
export function controlPlaneDestination(workspace: Workspace): Destination {
  if (!workspace.baseUrl)
    throw new AppError('unsupported', 'This workspace has no control plane: its agent servers are registered by hand.')
  const base = parseBase(workspace.baseUrl, 'control plane')
  const { apiKey, tenantId, bearer } = workspace.auth
  return {
    what: 'control plane',
    base,
    reach: 'listed',
    credentials: headersFor(apiKey, tenantId, bearer),
    isKeyWithheld: false,
  }
}

/**
 * Where a workspace's traces are read: the embedded platform keeps its own, any other workspace names a server and a key of its
 * own for it, and the control plane's key is never sent there. Throws AppError unsupported where there is none.
 */
export function tracesDestination(workspace: Workspace): Destination {
  if (workspace.kind === 'embedded') return { ...controlPlaneDestination(workspace), what: 'tracing server' }
  const { traces } = workspace
  if (!traces)
    throw new AppError(
      'unsupported',
      workspace.source === 'console'
        ? 'This workspace has no tracing address. An administrator of the console adds it in the settings of the workspace.'
        : 'This workspace has no tracing address. Set TRACES_URL and TRACES_API_KEY to read the traces of its deployments here.',
    )
  const base = parseBase(traces.url, 'tracing server')
  const credentials = headersFor(traces.apiKey, traces.tenantId)
  return { what: 'tracing server', base, reach: 'listed', credentials, isKeyWithheld: false }
}

/** Where requests for the agent server of a control plane's deployment go. The address is the control plane's word, not an administrator's. */
export function agentDestination(workspace: Workspace, address: string): Destination {
  const base = parseBase(address, 'agent server')
  const own = workspace.baseUrl && URL.canParse(workspace.baseUrl) ? [workspace.baseUrl] : []
  const isBound = isListedOrigin(base, [...own, ...workspace.allowedOrigins])
  const { apiKey, tenantId, bearer } = workspace.auth
  const credentials = workspace.agentApiKey ? headersFor(workspace.agentApiKey) : headersFor(apiKey, tenantId, bearer)
  return {
    what: 'agent server',
    base,
    reach: isBound || isListedOrigin(base, allowedUpstreams().origins) ? 'listed' : 'open',
    credentials: isBound ? credentials : {},
    isKeyWithheld: !isBound && Object.keys(credentials).length > 0,
  }
}

/** Where requests for a server of a direct workspace go: an administrator registered this very address, with a key of its own. */
export const directDestination = ({ url, apiKey }: DirectServer): Destination => ({
  what: 'agent server',
  base: parseBase(url, 'agent server'),
  reach: 'listed',
  credentials: headersFor(apiKey),
  isKeyWithheld: false,
})

function headersFor(apiKey?: string, tenantId?: string, bearer?: string): Record<string, string> {
  return {
    ...(apiKey && { 'x-api-key': apiKey }),
    ...(tenantId && { 'x-tenant-id': tenantId }),
    ...(bearer && { authorization: `Bearer ${bearer}` }),
  }
}
