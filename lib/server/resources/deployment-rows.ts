import 'server-only'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import {
  type DeploymentRow,
  type DeploymentRowsPage,
  HEALTH_GROUPS,
  healthGroup,
  ROW_SORTS,
  type RowSort,
  rowOf,
  sortRows,
} from '@/lib/contracts/deployments/deployment-row'
import { type Deployment, ListDeploymentsQuery } from '@/lib/contracts/deployments/deployments'
import { AppError } from '@/lib/errors'
import { pageOf, windowOf } from '@/lib/lists/anchored-page'
import { mapConcurrent } from '../process/map-concurrent'
import { parseInput } from '../process/result'
import { within } from '../process/within'
import { serveRead } from '../relay/serve-read'
import { call } from '../upstream/call'
import type { CallOptions } from '../upstream/call-context'
import { type Fleet, healthOf, lastFleet, readFailing, readFleetSoon, readFreshFleet } from './fleet'
import { revisionStates } from './revision-cache'

const MAX_LIMIT = 100
/** How long a list waits for the states of its revisions. */
const JOIN_MS = 1_500
/** How long a list of one kind of health waits until it is known whose runs fail. */
const WHOLE_MS = 3_000
/** How long rows that are ready wait for the number of deployments in each kind of health. */
const COUNT_MS = 300

const Anchors = z
  .string()
  .max(400)
  .transform((text) => text.split(',').filter(Boolean))

/** The control plane's query, plus a kind of health, an order, and the neighbouring rows that anchor a page. */
const RowsQuery = ListDeploymentsQuery.extend({
  health: z.enum(HEALTH_GROUPS).optional(),
  sort: z.enum(ROW_SORTS).optional(),
  after: Anchors.optional(),
  before: Anchors.optional(),
})
export type RowsQuery = z.input<typeof RowsQuery>

/** A page of deployments with the states of their latest and active revisions. Throws AppError like `call`. */
export async function readDeploymentRows(
  workspace: string,
  query: unknown,
  options: CallOptions = {},
): Promise<DeploymentRowsPage> {
  const { after, before, limit: size, offset, health: group, sort, ...filters } = parseInput(RowsQuery, query)
  const wanted = { offset, size, after, before }
  const { from, count } = windowOf(wanted)
  const counted = readFleetSoon(workspace, {}, options).then(
    (all) => (all.failing ? healthOf(all) : null),
    () => null,
  )
  const began = Date.now()
  // What the rows took was waited for as well.
  const health = (ms: number) => within(Math.max(0, began + ms - Date.now()), counted, null)
  const fleet = await sortableFleet(workspace, { ...filters, sort, isWanted: group !== undefined }, options)
  if (fleet) {
    const order = sort ?? 'health'
    const { rows: all } = group ? await within(WHOLE_MS, fleet.whole(), fleet) : fleet
    const fitting = sortRows(group ? all.filter((row) => healthGroup(row) === group) : all, order)
    const { rows, ...page } = pageOf(wanted, { from, rows: fitting.slice(from, from + count) })
    const found = rows.flatMap(({ id }) => fleet.deployments.get(id) ?? [])
    return { ...page, sort: order, rows: await joined(workspace, found, options), health: await health(JOIN_MS) }
  }
  const read: Deployment[] = []
  while (read.length < count) {
    const limit = Math.min(MAX_LIMIT, count - read.length)
    const input = { workspace, query: { ...filters, limit, offset: from + read.length } }
    const { resources } = await call(controlPlane.listDeployments, input, options)
    read.push(...resources)
    if (resources.length < limit) break
  }
  const { rows, ...page } = pageOf(wanted, { from, rows: read })
  return { ...page, sort: 'created', rows: await joined(workspace, rows, options), health: await health(COUNT_MS) }
}

async function joined(workspace: string, found: readonly Deployment[], options: CallOptions): Promise<DeploymentRow[]> {
  if (found.length === 0) return []
  const [states, failing] = await Promise.all([
    revisionStates(workspace, found, JOIN_MS),
    within(JOIN_MS, readFailing(workspace, options), undefined),
  ])
  return found.map((one) => rowOf(one, states, failing))
}

/**
 * The deployments to sort here. Undefined where the control plane's own order is wanted, or, if no order was asked for,
 * where there are too many or reading them all takes too long.
 */
async function sortableFleet(
  workspace: string,
  {
    sort,
    isWanted,
    ...filters
  }: { sort: RowSort | undefined; isWanted: boolean } & Parameters<typeof readFreshFleet>[1],
  options: CallOptions,
): Promise<Fleet | undefined> {
  if (sort === 'created' && !isWanted) return undefined
  const last = await lastFleet(workspace, filters, options)
  const fleet = readFreshFleet(workspace, filters, options)
  if (sort ?? isWanted) return fleet
  if (last?.isCut) return void fleet.catch(() => {}) // read for the next time
  const known = await within(JOIN_MS, fleet, undefined)
  return known?.isCut ? undefined : known
}

/** The deployments with these ids, without those that do not exist. Throws AppError like `call`. */
export async function readRowsById(
  workspace: string,
  ids: readonly string[],
  options: CallOptions,
): Promise<DeploymentRow[]> {
  const read = await mapConcurrent(ids, (id) =>
    call(controlPlane.getDeployment, { workspace, params: { deployment_id: id } }, options).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return undefined
      throw error
    }),
  )
  return joined(
    workspace,
    read.filter((one) => one !== undefined),
    options,
  )
}

/** Serves `GET /api/deployments/{workspace}` with `readDeploymentRows`. */
export const serveDeploymentRows = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, options) => readDeploymentRows(workspace, query, options))
