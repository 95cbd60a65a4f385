import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { z } from 'zod'
import type { ListInstallationsQuery } from '@/lib/contracts/deployments/integrations'
import { BuildError } from '../builder/command'
import { defaultBranch } from '../builder/git'
import { inspectSource, listRefs } from '../builder/inspect'
import { isDnsLabel } from '../compute/kubernetes/names'
import { ListenerInUseError, ListenerNameTakenError, NamespaceInUseError } from '../compute/listener/listeners'
import { baseEnvironment } from '../kernel/env'
import { HttpError, invalid, notFound, uuid } from '../kernel/http-error'
import type { ListenerRow } from '../kernel/schema'
import type { Handlers } from '../kernel/wire'
import { INTEGRATION_ID, LISTENER_ID, type Platform } from './platform'

type Own =
  | 'listGithubIntegrations'
  | 'listGithubRepositories'
  | 'inspectRepository'
  | 'listRepositoryRefs'
  | 'listForgeIntegrations'
  | 'listForgeRepositories'
  | 'listGithubInstallations'
  | 'listInstallationRepositories'
  | 'createInstallationLink'
  | 'listListeners'
  | 'createListener'
  | 'getListener'
  | 'updateListener'
  | 'deleteListener'
  | 'renewListenerToken'
  | 'revokeListenerToken'

const READ_MS = 20_000
const ONLY_ONE =
  'The listener of the platform itself cannot be changed or deleted, and there is one of its kind. Others are of compute type k8s.'

/** Local equivalents of a hosted platform's resources: an integration with repositories, and a listener. */
export function machineHandlers(platform: Platform, startedAt: Date, version: string): Pick<Handlers, Own> {
  const { joinUrl: platform_url } = platform
  const listener = () => ({
    id: LISTENER_ID,
    created_at: startedAt.toISOString(),
    updated_at: startedAt.toISOString(),
    compute_type: platform.ownListener.type,
    compute_id: platform.ownListener.name,
    compute_config: { k8s_namespaces: platform.ownListener.namespaces?.slice() ?? null },
    version,
    connection: { away: awayOf(LISTENER_ID), token: null },
  })
  const awayOf = (id: string) => {
    const { away } = platform.computes.of({ source: 'external_docker', sourceConfig: { listener_id: id } })
    return away ? { who: away.who, since: away.since?.toISOString() ?? null } : null
  }
  const listenerRecord = (row: ListenerRow) => ({
    id: row.id,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    compute_type: 'k8s',
    compute_id: row.computeId,
    compute_config: { k8s_namespaces: row.namespaces },
    version: row.about?.version ?? null,
    connection: { away: awayOf(row.id), token: row.tokenHash ? ('valid' as const) : ('revoked' as const) },
  })
  const integration = { id: INTEGRATION_ID, installation_id: 1, name: platform.ownListener.name }
  const knownIntegration = (name: string, text: string) => {
    const id = uuid('path', name, text)
    if (id !== INTEGRATION_ID) throw notFound('Integration', id)
  }
  const repositories = async (name: string, text: string) => {
    knownIntegration(name, text)
    return listRepositories(platform.repositoriesFolder)
  }
  /** The platform itself is no record. */
  const own = ({ listener_id }: { listener_id: string }) => {
    const id = uuid('path', 'listener_id', listener_id)
    if (id === LISTENER_ID) throw new HttpError(403, ONLY_ONE)
    if (!platform.listeners.find(id)) throw notFound('Listener', id)
    return id
  }
  return {
    listGithubIntegrations: () => ({ body: [integration] }),
    listGithubRepositories: async ({ params }) => ({
      body: await repositories('integration_id', params.integration_id),
    }),
    async inspectRepository({ params, query }) {
      knownIntegration('integration_id', params.integration_id)
      const { repo_url: url, repo_ref: ref, graph_config_path: configPath } = query
      const { mirrors } = platform
      return { body: await reading(url, (access) => inspectSource({ url, ref, configPath }, { ...access, mirrors })) }
    },
    async listRepositoryRefs({ params, query }) {
      knownIntegration('integration_id', params.integration_id)
      return { body: await reading(query.repo_url, (access) => listRefs(query.repo_url, access)) }
    },
    listForgeIntegrations: () => ({ body: [] }),
    listForgeRepositories({ params }) {
      throw notFound('Integration', uuid('path', 'integration_id', params.integration_id))
    },
    listGithubInstallations: ({ query }) => ({ body: page([integration], query) }),
    listInstallationRepositories: async ({ params, query }) => ({
      body: page(await repositories('installation_id', params.installation_id), query),
    }),
    createInstallationLink() {
      const where = `its repositories are those in ${platform.repositoriesFolder} and any git URL`
      throw new HttpError(501, `There is no GitHub App to install on this machine: ${where}.`)
    },

    listListeners: ({ query }) => {
      const all = [undefined, ...platform.listeners.list()]
      const shown = all.slice(query.offset, query.offset + query.limit)
      const resources = shown.map((row) => (row ? listenerRecord(row) : listener()))
      return { body: { resources, offset: query.offset + resources.length } }
    },
    getListener({ params }) {
      const id = uuid('path', 'listener_id', params.listener_id)
      if (id === LISTENER_ID) return { body: listener() }
      const row = platform.listeners.find(id)
      if (!row) throw notFound('Listener', id)
      return { body: listenerRecord(row) }
    },
    async createListener({ body }) {
      const { compute_id: computeId, compute_config } = body
      const taken = new HttpError(409, `A listener with compute_id ${computeId} already exists.`)
      if (computeId === platform.ownListener.name) throw taken
      if (body.compute_type !== 'k8s') throw new HttpError(403, ONLY_ONE)
      try {
        const created = await platform.listeners.create(computeId, namespacesOf(compute_config))
        return { status: 201, body: { ...listenerRecord(created.row), token: created.token, platform_url } }
      } catch (error) {
        if (error instanceof ListenerNameTakenError) throw taken
        throw error
      }
    },
    async updateListener({ params, body }) {
      const id = own(params)
      const { compute_config } = body
      try {
        const row = compute_config
          ? await platform.listeners.setNamespaces(id, namespacesOf(compute_config))
          : platform.listeners.find(id)
        if (!row) throw notFound('Listener', id)
        return { body: listenerRecord(row) }
      } catch (error) {
        if (!(error instanceof NamespaceInUseError)) throw error
        const path = ['compute_config', 'k8s_namespaces']
        throw invalid('body', [{ path, message: error.message, type: 'value_error' }])
      }
    },
    async deleteListener({ params }) {
      const id = own(params)
      try {
        await platform.listeners.remove(id)
      } catch (error) {
        if (error instanceof ListenerInUseError)
          throw new HttpError(409, `${error.message} Delete these deployments first.`)
        throw error
      }
      return { body: undefined }
    },
    renewListenerToken: async ({ params }) => ({
      status: 201,
      body: { token: await platform.listeners.renewToken(own(params)), platform_url },
    }),
    async revokeListenerToken({ params }) {
      await platform.listeners.revokeToken(own(params))
      return { body: undefined }
    },
  }
}

type GivenNamespaces = { k8s_namespaces?: readonly string[] | null } | null | undefined

/** Every name that could be a namespace; the cluster knows which exist. */
function namespacesOf(config: GivenNamespaces): string[] {
  const given = config?.k8s_namespaces ?? []
  const wrong = given.findIndex((name) => !isDnsLabel(name))
  const path = ['compute_config', 'k8s_namespaces', wrong]
  const message = 'Use up to 63 lowercase letters, digits and hyphens; start and end with a letter or digit'
  if (wrong >= 0) throw invalid('body', [{ path, message, type: 'value_error' }])
  return given.length ? [...given] : ['default']
}

/** A page by cursor, which here is the number of items before it. */
function page<Item>(all: Item[], { page_size, cursor = '0' }: z.output<typeof ListInstallationsQuery>) {
  if (!/^\d{1,9}$/.test(cursor))
    throw invalid('query', [{ path: ['cursor'], message: 'Input is not a cursor of this server', type: 'value_error' }])
  const end = Number(cursor) + page_size
  return { items: all.slice(Number(cursor), end), next_cursor: end < all.length ? String(end) : null }
}

/** The git repositories directly in a folder, bare or not. */
async function listRepositories(folder: string) {
  const names = (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort()
  const found = await Promise.all(
    names.map(async (name) => {
      const url = path.join(folder, name)
      const default_branch = await defaultBranch(url, baseEnvironment())
      // A number, as on the hosted platform; derived from the name, so that it never changes.
      const id = createHash('sha256').update(name).digest().readUInt32BE()
      return default_branch
        ? [
            {
              host_integration_id: INTEGRATION_ID,
              id,
              name: name.replace(/\.git$/, ''),
              owner: 'local',
              url,
              default_branch,
            },
          ]
        : []
    }),
  )
  return found.flat()
}

/** Reads something of a repository, within a time. What git says about it is the caller's mistake. */
async function reading<T>(
  url: string,
  read: (access: { env: Record<string, string>; signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(READ_MS)
  try {
    return await read({ env: baseEnvironment(), signal })
  } catch (error) {
    if (error instanceof BuildError) throw new HttpError(400, error.message)
    if (signal.aborted) throw new HttpError(503, `${url} could not be read within ${READ_MS / 1000} s.`)
    throw error
  }
}
