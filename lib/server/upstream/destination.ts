import 'server-only'
import { type AddressRange, parseRange, type Reach } from '@/lib/contracts/wire/address'
import { CONSOLE_SCHEME } from '@/lib/contracts/wire/dialect'
import { AppError } from '@/lib/errors'
import type { DirectServer } from '../access/attached'
import type { Workspace } from '../access/workspaces'
import { env } from '../process/env'

// Where a workspace's requests go, how far they may reach, and which key they carry. A key is sent only to the workspace's
// base address and the origins its administrator listed, never to an address known only from an upstream or a range.

export type Destination = {
  /** Names the kind of server in messages. */
  what: 'control plane' | 'agent server' | 'tracing server' | 'identity provider' | 'alert channel'
  base: URL
  reach: Reach
  /** Authentication headers; empty where the key must not go to this origin. */
  credentials: Record<string, string>
  /** A key exists but must not go to this origin. */
  isKeyWithheld: boolean
}

/** Parses a base address. Throws AppError invalid unless it is http(s) without user info, query or fragment. */
export function parseBase(text: string, what: Destination['what']): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new AppError('invalid', `The address of the ${what} is not an http or https address.`)
  if (url.username || url.password)
    throw new AppError(
      'invalid',
      `The address of the ${what} contains a user name or password. Remove it; keys are set in the workspace.`,
    )
  if (url.search || url.hash)
    throw new AppError('invalid', `The address of the ${what} cannot contain a query or fragment.`)
  return url
}

/** The address below which `/v2/deployments` is. Vendors' documents give it with and without the version. */
function controlPlaneBase(text: string): URL {
  const base = parseBase(text, 'control plane')
  base.pathname = base.pathname.replace(/\/v[12]\/*$/, '')
  return base
}

/** Whether a URL's origin matches one of `patterns`; `https://*.example.com` matches every host below example.com. */
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

/** The origins and address ranges that the operator allows in every workspace. */
export function allowedUpstreams(): { origins: string[]; ranges: AddressRange[] } {
  const entries = env().ALLOWED_UPSTREAMS
  return {
    origins: entries.filter((entry) => entry.includes('://')),
    ranges: entries.map(parseRange).filter((range) => range !== undefined),
  }
}

/** Where a workspace's control-plane operations go. Throws AppError unsupported without a control plane. */
export function controlPlaneDestination(workspace: Workspace): Destination {
  if (!workspace.baseUrl)
    throw new AppError('unsupported', 'This workspace has no control plane: its agent servers are added manually.')
  const base = controlPlaneBase(workspace.baseUrl)
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
 * Where a workspace's traces are read: on the embedded platform itself, elsewhere on the configured tracing server, which
 * never gets the control plane's key. Throws AppError unsupported without a tracing server.
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

/** Where requests for a deployment's agent server go. `address` comes from the control plane, so it is not trusted. */
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
    // Deployments with an authentication of their own know the console by this header.
    credentials: isBound ? { ...credentials, [CONSOLE_SCHEME.header]: CONSOLE_SCHEME.value } : {},
    isKeyWithheld: !isBound && Object.keys(credentials).length > 0,
  }
}

/** Where requests for a direct workspace's server go: an administrator registered this address and its key. */
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
