import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'

const origins = new AsyncLocalStorage<string | undefined>()

/** Handles a request, so that addresses in the response begin as the one by which its caller reached this server. */
export const withCallerOrigin = (headers: IncomingHttpHeaders, handle: () => unknown): void => {
  origins.run(originOf(headers), handle)
}

/** Undefined outside of a request, or if it does not say. */
export const callerOrigin = (): string | undefined => origins.getStore()

/** A header may have been set by the caller: it only changes what this caller is told. */
export function originOf(headers: IncomingHttpHeaders): string | undefined {
  const host = firstOf(headers['x-forwarded-host']) ?? headers.host
  const scheme = firstOf(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http'
  const text = `${scheme}://${host}`
  if (!host || !/^[\w.:[\]-]+$/.test(host) || !URL.canParse(text)) return undefined
  return new URL(text).origin
}

const firstOf = (value: string | string[] | undefined): string | undefined =>
  [value].flat()[0]?.split(',')[0]?.trim() || undefined
