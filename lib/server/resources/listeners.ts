import 'server-only'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import {
  everyListener,
  isOwnListener,
  LISTENER_STATES,
  type ListenerDeployment,
  type ListenerRow,
  type ListenerRowsPage,
  listenerStateOf,
  sortListeners,
} from '@/lib/contracts/deployments/listener-row'
import type { Listener } from '@/lib/contracts/deployments/listeners'
import { pageQuery } from '@/lib/contracts/wire/fields'
import { awaitedOf } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { safeWrite } from '../edits/safe-write'
import { parseInput } from '../process/result'
import { serveRead } from '../relay/serve-read'
import { call } from '../upstream/call'
import type { CallOptions } from '../upstream/call-context'
import { type Fleet, readFreshFleet } from './fleet'

/** Deployments that a row of the list, and a listener by itself, come with. */
const FEW = 3
const MANY = 100

const RowsQuery = z.strictObject({
  ...pageQuery,
  q: z.string().max(200).optional(),
  state: z.enum(LISTENER_STATES).optional(),
  /** One listener alone, with more of its deployments. */
  id: z.string().min(1).max(300).optional(),
})

/** Listeners with their deployments, those that need attention first. Throws AppError like `call`. */
export async function readListenerRows(
  workspace: string,
  query: unknown,
  options: CallOptions = {},
): Promise<ListenerRowsPage> {
  const { q = '', state, id, limit, offset } = parseInput(RowsQuery, query)
  const [listeners, fleet] = await Promise.all([
    readListeners(workspace, options),
    readFreshFleet(workspace, {}, options).catch((error: unknown) => {
      if (error instanceof AppError) return undefined
      throw error
    }),
  ])
  const placed = fleet && placeDeployments(listeners, fleet)
  const all = listeners.map((one) => rowOf(one, placed?.get(one.id.toLowerCase()), placed === undefined))
  const counts = Object.fromEntries(LISTENER_STATES.map((name) => [name, 0])) as ListenerRowsPage['counts']
  for (const { connection } of all) counts[listenerStateOf(connection)] += 1
  const sought = q.trim().toLowerCase()
  const fitting = all.filter(
    (row) =>
      (id === undefined || row.id.toLowerCase() === id.toLowerCase()) &&
      (state === undefined || listenerStateOf(row.connection) === state) &&
      [row.name, row.id, ...(row.namespaces ?? [])].some((text) => text.toLowerCase().includes(sought)),
  )
  const waiting = all.flatMap(({ deployments }) => deployments?.filter(({ isWaiting }) => isWaiting) ?? [])
  const most = id === undefined ? FEW : MANY
  return {
    rows: sortListeners(fitting)
      .slice(offset, offset + limit)
      .map((row) => ({ ...row, deployments: row.deployments?.slice(0, most) ?? null })),
    total: fitting.length,
    counts,
    waiting: fleet ? { deployments: waiting.slice(0, FEW), count: waiting.length } : null,
    isCut: fleet?.isCut ?? false,
  }
}

export const readListeners = (workspace: string, options: CallOptions): Promise<Listener[]> =>
  everyListener((query) => call(controlPlane.listListeners, { workspace, query }, options))

/** The deployments by the id of their listener. Those that name none are the platform's own. */
function placeDeployments(listeners: readonly Listener[], { rows, deployments }: Fleet) {
  const own = listeners.find(isOwnListener)?.id
  const placed = new Map<string, ListenerDeployment[]>()
  for (const { id, name, latest, listener } of rows) {
    const place = (deployments.get(id)?.source_config.listener_id ?? own)?.toLowerCase()
    if (place === undefined) continue
    const isWaiting = awaitedOf(latest?.status ?? '', listener) !== undefined
    const known = placed.get(place) ?? []
    known.push({ id, name, isWaiting })
    placed.set(place, known)
  }
  return placed
}

function rowOf(one: Listener, deployments: ListenerDeployment[] = [], isUnread: boolean): ListenerRow {
  const waiting = deployments.filter(({ isWaiting }) => isWaiting)
  return {
    id: one.id,
    name: nameOf(one),
    type: one.compute_type,
    namespaces: one.compute_config?.k8s_namespaces ?? null,
    version: one.version ?? null,
    createdAt: one.created_at ?? null,
    connection: one.connection ?? null,
    deployments: isUnread ? null : [...waiting, ...deployments.filter(({ isWaiting }) => !isWaiting)],
    deploymentCount: deployments.length,
    waitingCount: waiting.length,
  }
}

/** Serves `GET /api/deployments/{workspace}/listeners` with `readListenerRows`. */
export const serveListenerRows = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, options) => readListenerRows(workspace, query, options))

type Place = { workspace: string; id: string }

/** What a listener is started with; `token` is shown once. Null where the control plane gives none. */
export type NewToken = { token: string; url: string | null }

export async function createListener(
  { workspace, name, namespaces }: { workspace: string; name: string; namespaces: string[] },
  actor: Actor,
): Promise<{ id: string; namespaces: string[]; given: NewToken | null }> {
  const body = { compute_type: 'k8s' as const, compute_id: name, compute_config: configOf(namespaces) }
  try {
    const made = await call(controlPlane.createListener, { workspace, body }, { actor })
    const { id, token, platform_url: url = null } = made
    return { id, namespaces: namespacesOf(made), given: token ? { token, url } : null }
  } catch (error) {
    if (!(error instanceof AppError) || error.view.upstreamStatus !== 409) throw error
    const fields = [{ path: ['compute_id'], message: 'Another listener has this name.' }]
    throw new AppError('conflict', error.message, { ...error.view, fields })
  }
}

/** Refused if somebody else has changed them since `seen`. */
export async function saveNamespaces(
  { workspace, id, namespaces, seen }: Place & { namespaces: string[]; seen: string[] },
  actor: Actor,
): Promise<void> {
  const place = { workspace, params: { listener_id: id } }
  await safeWrite<Listener, void>({
    ...{ operation: controlPlane.updateListener, place, actor, lock: ['listener', workspace, id] },
    read: () => call(controlPlane.getListener, place, { actor }),
    check(before) {
      const now = namespacesOf(before)
      if (now.join() === seen.join()) return
      const message = `Somebody else changed the namespaces of ${nameOf(before)} to ${now.join(', ') || 'none'}.`
      throw new AppError('conflict', message)
    },
    async send(before) {
      const body = { compute_config: configOf(namespaces) }
      await call(controlPlane.updateListener, { ...place, body }, { actor, name: nameOf(before) })
    },
    isSame: (now) => namespacesOf(now).join() === namespaces.join(),
    resultOf: () => {},
  })
}

const nameOf = ({ compute_id: name, id }: Listener) => name || id
const namespacesOf = ({ compute_config }: Listener) => compute_config?.k8s_namespaces ?? []
const configOf = (namespaces: string[]) => ({ k8s_namespaces: namespaces.length ? namespaces : null })

export async function renewToken(place: Place, actor: Actor): Promise<NewToken> {
  const { params, name } = await targetOf(place, actor)
  const input = { workspace: place.workspace, params }
  const { token, platform_url } = await call(controlPlane.renewListenerToken, input, { actor, name })
  return { token, url: platform_url ?? null }
}

export async function revokeToken(place: Place, actor: Actor): Promise<void> {
  const { params, name } = await targetOf(place, actor)
  await call(controlPlane.revokeListenerToken, { workspace: place.workspace, params }, { actor, name })
}

export async function deleteListener(place: Place, actor: Actor): Promise<void> {
  const { params, name } = await targetOf(place, actor)
  await call(controlPlane.deleteListener, { workspace: place.workspace, params }, { actor, name })
}

/** Read first, so that the audit trail has its name. */
async function targetOf({ workspace, id }: Place, actor: Actor) {
  const params = { listener_id: id }
  return { params, name: nameOf(await call(controlPlane.getListener, { workspace, params }, { actor })) }
}
