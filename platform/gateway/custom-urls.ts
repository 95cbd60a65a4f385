import type { IncomingMessage } from 'node:http'
import { originOf } from './caller-origin'

type Place = { host: string; path: string }
type OwnPlace = Place & { id: string }

/** Paths of the platform itself, whatever address a deployment has. */
const OWN_PATH = /^\/(v1|v2|agents)(?=[/?]|$)/

/** The addresses that deployments have in place of the gateway's. A proxy in front leads their hosts here. */
export class CustomUrls {
  #places: OwnPlace[] = []
  #loading: Promise<void> = Promise.resolve()

  /** `load` gives the address of each deployment that has one. */
  constructor(private readonly load: () => Promise<{ id: string; url: string }[]>) {}

  /** Call after a deployment was created, changed or deleted. */
  refresh(): Promise<void> {
    const loaded = this.#loading.then(async () => {
      const all = await this.load()
      this.#places = all
        .flatMap(({ id, url }) => (URL.canParse(url) ? [{ id, ...placeOf(url) }] : []))
        // Of several on one host, the most specific one.
        .sort((a, b) => b.path.length - a.path.length)
    })
    this.#loading = loaded.catch(() => {})
    return loaded
  }

  /** The deployment that a request is for, and the part of its path that is not the agent server's. */
  find({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): { id: string; prefix: string } | undefined {
    const origin = this.#places.length > 0 && !OWN_PATH.test(url) ? originOf(headers) : undefined
    if (!origin) return undefined
    const { host } = new URL(origin)
    const found = this.#places.find((one) => one.host === host && isBelow(url, one.path))
    return found && { id: found.id, prefix: found.path }
  }

  /** Why a deployment cannot have an address. `origins`: those of the platform itself. */
  problemOf(id: string, url: string, origins: readonly string[]): string | undefined {
    const { host, path } = placeOf(url)
    // The gateway's own addresses may be given back as they were read.
    if (!OWN_PATH.test(path) && origins.some((one) => placeOf(one).host === host))
      return 'This is the address of the platform itself. Leave it out, or use another host name'
    const owner = this.#places.find((one) => one.host === host && one.path === path)?.id
    return owner && owner !== id ? `Deployment ${owner} has this address` : undefined
  }
}

function placeOf(url: string): Place {
  const { host, pathname } = new URL(url)
  return { host, path: pathname.replace(/\/+$/, '') }
}

const isBelow = (url: string, path: string) => url.startsWith(path) && /^([/?]|$)/.test(url.slice(path.length))
