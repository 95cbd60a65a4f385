import { z } from 'zod'
import type { AddressRange } from '@/lib/contracts/wire/address'
import { deployedVariable } from '../../kernel/env'

const Names = z.array(z.string()).nullish()
const Flag = z.boolean().nullish()

/** `webhooks` of the graph configuration file, with the key names that other servers use. */
export const WebhooksConfig = z.looseObject({
  /** Which environment variables headers may name. */
  env_prefix: z.string().min(1).nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
  url: z
    .looseObject({
      require_https: Flag,
      allowed_domains: Names,
      allowed_ports: z.array(z.int()).nullish(),
      max_url_length: z.int().positive().nullish(),
      disable_loopback: Flag,
    })
    .nullish(),
})
type WebhooksConfig = z.output<typeof WebhooksConfig>

/** Where webhooks may go, and what is sent with them. */
export type WebhookRules = {
  ranges: readonly AddressRange[]
  headers: Record<string, string>
  url: NonNullable<WebhooksConfig['url']>
  isOff: boolean
}

const PREFIX = 'LG_WEBHOOK_'
const VARIABLE = /\$\{\{\s*env\.(\w+)\s*\}\}/g

/**
 * The rules of a deployment: the operator's ranges, narrowed by the graph file. Throws an Error for a header that names a
 * variable without the prefix, which would leak it, or one that is not set.
 */
export function webhookRules(
  config: WebhooksConfig | null | undefined,
  ranges: readonly AddressRange[],
  isOff = false,
): WebhookRules {
  const prefix = config?.env_prefix ?? PREFIX
  const filled = ([name, text]: [string, string]) => {
    const value = text.replace(VARIABLE, (_, variable: string) => {
      if (!variable.startsWith(prefix))
        throw new Error(`webhooks.headers.${name} names ${variable}, which does not begin with ${prefix}`)
      const found = deployedVariable(variable)
      if (found === undefined) throw new Error(`webhooks.headers.${name} names ${variable}, which is not set`)
      return found
    })
    return [name.toLowerCase(), value]
  }
  const headers = Object.fromEntries(Object.entries(config?.headers ?? {}).map(filled)) as Record<string, string>
  return { ranges, headers, url: config?.url ?? {}, isOff }
}

/** Why the graph file refuses an address, if it does. */
export function refusalByConfig(text: string, { url: rules, isOff }: WebhookRules): string | undefined {
  if (isOff) return 'This deployment sends no webhooks'
  const { protocol, hostname, port } = new URL(text)
  if (rules.max_url_length && text.length > rules.max_url_length)
    return `A webhook of this deployment has at most ${rules.max_url_length} characters`
  if (rules.require_https && protocol !== 'https:') return 'A webhook of this deployment must be an https address'
  if (rules.allowed_domains && !rules.allowed_domains.some((domain) => isWithin(hostname, domain)))
    return `This deployment sends no webhooks to ${hostname}`
  const used = Number(port || (protocol === 'https:' ? 443 : 80))
  if (rules.allowed_ports && !rules.allowed_ports.includes(used))
    return `This deployment sends no webhooks to port ${used}`
  if (rules.disable_loopback && /^(localhost|.+\.localhost|127\..*|\[::1\])$/.test(hostname))
    return 'This deployment sends no webhooks to its own machine'
  return undefined
}

/** `*.example.com` stands for its subdomains. */
const isWithin = (host: string, domain: string): boolean =>
  domain.startsWith('*.') ? host.endsWith(domain.slice(1).toLowerCase()) : host === domain.toLowerCase()
