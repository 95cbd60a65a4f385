import { createRequire, register } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * Runs in the thread of Node's module hooks, so it is text. `resolve`: packages that a graph's folder lacks come from
 * the server, and extensions are optional as in TypeScript projects. `load`: strips types with esbuild, which is only
 * loaded for TypeScript.
 */
const HOOKS = `
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
let settings
export const initialize = (data) => { settings = data }

const TS = /\\.[mc]?tsx?$/
const guesses = (url) => [...(/\\.[mc]?js$/.test(url) ? [url.replace(/js$/, 'ts'), url.replace(/js$/, 'tsx')] : []), url + '.ts', url + '.tsx', url + '.js', url + '/index.ts', url + '/index.js']

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (/^\\.{0,2}\\//.test(specifier) && context.parentURL?.startsWith('file:') && TS.test(new URL(context.parentURL).pathname)) {
      const found = guesses(new URL(specifier, context.parentURL).href).find((url) => existsSync(fileURLToPath(url)))
      if (found) return next(found, context)
    }
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || /^[./]|^[a-z]+:/i.test(specifier)) throw error
    // The first error names the file that asks for the package, the second one this server.
    return next(specifier, { ...context, parentURL: settings.parentURL }).catch(() => { throw error })
  }
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !TS.test(new URL(url).pathname)) return next(url, context)
  const file = fileURLToPath(url)
  const { transform } = await import(settings.esbuild)
  const { code } = await transform(await readFile(file, 'utf8'), { loader: file.endsWith('x') ? 'tsx' : 'ts', format: 'esm', target: 'node20', sourcefile: file, sourcemap: 'inline' })
  return { format: 'module', source: code, shortCircuit: true }
}
`

let isRegistered = false

/** Lets a graph's folder run without an install and in TypeScript. Call once per process. */
export function registerModuleHooks(): void {
  if (isRegistered) return
  isRegistered = true
  const esbuild = pathToFileURL(createRequire(import.meta.url).resolve('esbuild')).href
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: { parentURL: import.meta.url, esbuild } })
}
