import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { z } from 'zod'
import { type AllowedOrigins, EXPOSED_HEADERS, isAllowedOrigin } from '../../kernel/cors'

const isPattern = (text: string): boolean => {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

/** `http.cors` of the graph configuration file, with the key names that other servers use. */
export const CorsConfig = z.looseObject({
  allow_origins: z.array(z.string()).nullish(),
  allow_origin_regex: z.string().refine(isPattern, 'is not a regular expression').nullish(),
  allow_methods: z.array(z.string()).nullish(),
  allow_headers: z.array(z.string()).nullish(),
  allow_credentials: z.boolean().nullish(),
  expose_headers: z.array(z.string()).nullish(),
  max_age: z.number().min(0).nullish(),
})
export type CorsConfig = z.output<typeof CorsConfig>

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']
const listed = (values: readonly string[] | null | undefined): string[] | undefined =>
  values && !values.includes('*') ? [...values] : undefined

/**
 * Every origin may call without credentials unless the graph configuration or the operator (`operatorOrigins`) narrows it.
 * A preflight is answered here; another OPTIONS request goes on to the router.
 */
export function allowOrigins(config: CorsConfig, operatorOrigins: AllowedOrigins): MiddlewareHandler {
  const { allow_origins, allow_origin_regex, allow_credentials } = config
  const own = listed(allow_origins) ?? (allow_origin_regex && !allow_origins ? [] : '*')
  const pattern = allow_origin_regex ? new RegExp(`^(?:${allow_origin_regex})$`) : undefined
  const isAllowed = (origin: string) =>
    isAllowedOrigin(operatorOrigins, origin) && (isAllowedOrigin(own, origin) || (pattern?.test(origin) ?? false))
  const isOpen = own === '*' && operatorOrigins === '*' && !allow_credentials
  const response = cors({
    origin: isOpen ? '*' : (origin) => (isAllowed(origin) ? origin : null),
    allowMethods: listed(config.allow_methods) ?? METHODS,
    allowHeaders: listed(config.allow_headers) ?? [], // empty: the headers that the preflight requests
    exposeHeaders: [...EXPOSED_HEADERS, ...(config.expose_headers ?? [])],
    credentials: allow_credentials ?? false,
    maxAge: config.max_age ?? 600,
  })
  return (context, next) => {
    const isPreflight = context.req.header('access-control-request-method') !== undefined
    return context.req.method === 'OPTIONS' && !isPreflight ? next() : response(context, next)
  }
}
