import { z } from 'zod'
import { CorsConfig } from '../kernel/cors'
import { DisabledGroups } from '../kernel/disabled-groups'
import { WebhooksConfig } from '../kernel/webhook-rules'

/** `./file.ts:export`, relative to the configuration file. */
const ModulePath = z.string().regex(/^[^:]+(:[^:]+)?$/, 'expected "./file.mjs:export"')
const Minutes = z.number().positive()
const Patterns = z.array(z.string()).nullish()
const Flag = z.boolean().nullish()

/** What this server reads of a graph configuration file. Unknown keys are kept, so that they can be reported. */
const GraphConfig = z.looseObject({
  graphs: z
    .record(
      z.string().min(1),
      z.union([ModulePath, z.looseObject({ path: ModulePath, description: z.string().nullish() })]),
    )
    .refine((graphs) => Object.keys(graphs).length > 0, 'names no graph'),
  /** An env file, values, or the names of variables to set. */
  env: z.union([z.string(), z.record(z.string(), z.coerce.string()), z.array(z.string())]).nullish(),
  node_version: z.union([z.string(), z.number()]).nullish(),
  dependencies: z.array(z.string()).nullish(),
  http: z
    .looseObject({
      app: ModulePath.nullish(),
      cors: CorsConfig.nullish(),
      ...DisabledGroups,
    })
    .nullish(),
  auth: z.looseObject({ path: ModulePath.nullish(), disable_studio_auth: Flag }).nullish(),
  checkpointer: z
    .looseObject({
      ttl: z
        .looseObject({
          strategy: z.enum(['delete', 'keep_latest']).nullish(),
          default_ttl: Minutes.nullish(),
          sweep_interval_minutes: Minutes.nullish(),
        })
        .nullish(),
    })
    .nullish(),
  webhooks: WebhooksConfig.nullish(),
  store: z
    .looseObject({
      ttl: z
        .looseObject({
          refresh_on_read: Flag,
          default_ttl: Minutes.nullish(),
          sweep_interval_minutes: Minutes.nullish(),
        })
        .nullish(),
      index: z
        .looseObject({ embed: z.string().nullish(), dims: z.int().positive().nullish(), fields: Patterns })
        .nullish(),
    })
    .nullish(),
})
export type GraphConfig = z.output<typeof GraphConfig>

/** Parses the text of a configuration file. Throws an Error whose message names the file and every problem. */
export function parseGraphConfig(text: string, name: string): GraphConfig {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new Error(`${name} is not valid JSON: ${(error as Error).message}`)
  }
  const parsed = GraphConfig.safeParse(json)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`)
  throw new Error(`${name} is not a graph configuration: ${problems.join('; ')}`)
}

const NO_IMAGE = 'the platform builds no container image'
const NO_PYTHON = 'the platform runs JavaScript and TypeScript'
const UNKNOWN = 'the platform does not know it'

/** Keys that other servers apply and this one does not, with the reason. Keys with a dot are nested. */
const NOT_APPLIED: Record<string, string> = {
  api_version: 'the platform has one version of its agent server',
  'auth.cache': 'every request is authenticated',
  'auth.openapi': 'the API description names the platform’s own key only',
  base_image: NO_IMAGE,
  'checkpointer.ttl.sweep_interval_minutes': 'expired threads are removed every half a minute',
  docker_compose_file: NO_IMAGE,
  dockerfile_lines: NO_IMAGE,
  encryption: 'custom encryption is not available',
  image_distro: NO_IMAGE,
  keep_pkg_tools: NO_PYTHON,
  node_loader: 'TypeScript is loaded by the platform',
  pip_config_file: NO_PYTHON,
  pip_installer: NO_PYTHON,
  python_version: NO_PYTHON,
  source: NO_PYTHON,
  ui: 'generative UI bundles are not built',
  ui_config: 'generative UI bundles are not built',
  'http.enable_custom_route_auth': 'custom routes are authenticated like all others',
  'http.middleware_order': 'authentication comes before the middleware of custom routes',
  'http.configurable_headers': 'request headers do not reach the configuration of runs',
}
/** Keys that are applied, or that describe the file itself. */
const APPLIED: Record<string, readonly string[]> = {
  '': ['$schema', 'graphs', 'env', 'node_version', 'dependencies', 'http', 'auth', 'store', 'checkpointer', 'webhooks'],
  auth: ['path', 'disable_studio_auth'],
  http: ['app', 'cors', ...Object.keys(DisabledGroups)],
  checkpointer: ['ttl'],
  'checkpointer.ttl': ['strategy', 'default_ttl'],
  webhooks: ['env_prefix', 'headers', 'url'],
  'webhooks.url': ['require_https', 'allowed_domains', 'allowed_ports', 'max_url_length', 'disable_loopback'],
  store: ['ttl', 'index'],
}

/** A line for each key with a value that this server does not apply. */
export function unappliedKeys(config: GraphConfig): string[] {
  const lines: string[] = []
  const visit = (value: object, prefix: string) => {
    for (const [key, inner] of Object.entries(value)) {
      if (isEmpty(inner)) continue
      const name = prefix ? `${prefix}.${key}` : key
      if (APPLIED[prefix]?.includes(key)) {
        if (APPLIED[name]) visit(inner as object, name)
      } else lines.push(`"${name}" is not applied: ${NOT_APPLIED[name] ?? UNKNOWN}.`)
    }
  }
  visit(config, '')
  const others = (config.dependencies ?? []).filter((one) => !/^\.\/?$/.test(one))
  if (others.length)
    lines.push(`"dependencies" is not applied to ${others.join(', ')}: packages are installed from package.json.`)
  return lines
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
