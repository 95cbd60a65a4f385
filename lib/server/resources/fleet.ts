import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import {
  type DeploymentRow,
  type FleetHealth,
  HEALTH_GROUPS,
  healthGroup,
  MOST_COUNTED,
  rowOf,
} from '@/lib/contracts/deployments/deployment-row'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { InputOf } from '@/lib/contracts/wire/api'
import { systemActor } from '../access/actor'
import { call } from '../upstream/call'
import { authorize, type CallOptions } from '../upstream/call-context'
import { revisionStates } from './revision-cache'

// Control planes list deployments in pages and know no health, so all pages are read, once for all viewers.

const PAGE = 100
/** How long a reading is shared, per page that it took. */
const KEPT_MS = 3_000
const JOIN_MS = 1_500
const MOST_KEPT = 100

export type Fleet = { rows: DeploymentRow[]; deployments: ReadonlyMap<string, Deployment>; isCut: boolean }
type Filters = Omit<NonNullable<InputOf<typeof controlPlane.listDeployments>['query']>, 'limit' | 'offset'>

const kept = new Map<string, { until: number; size: number; fleet: Promise<Fleet> }>()

/** The first 1,000 deployments that match the control plane's filters, with their health. Throws AppError like `call`. */
export async function readFleet(workspace: string, filters: Filters, { actor }: CallOptions = {}): Promise<Fleet> {
  const { limit } = await authorize(controlPlane.listDeployments, { workspace }, actor)
  const key = JSON.stringify([workspace, filters, limit])
  const known = kept.get(key)
  if (known && Date.now() < known.until) return known.fleet
  const fleet = readAll(workspace, filters, limit)
  if (kept.size >= MOST_KEPT) kept.clear()
  const entry = { until: Number.POSITIVE_INFINITY, size: 0, fleet }
  kept.set(key, entry)
  fleet.then(
    ({ rows }) => {
      entry.size = rows.length
      entry.until = Date.now() + KEPT_MS * Math.ceil((rows.length + 1) / PAGE)
    },
    () => kept.delete(key),
  )
  return fleet
}

/** The same, but read for this caller where it is a single page, so that it has what was just created. */
export async function readFreshFleet(workspace: string, filters: Filters, options: CallOptions = {}): Promise<Fleet> {
  const { limit } = await authorize(controlPlane.listDeployments, { workspace }, options.actor)
  const known = kept.get(JSON.stringify([workspace, filters, limit]))
  if (known && known.size >= PAGE) return readFleet(workspace, filters, options)
  const query = { ...filters, limit: PAGE, offset: 0 }
  const { resources } = await call(controlPlane.listDeployments, { workspace, query }, options)
  return resources.length < PAGE ? fleetOf(workspace, resources, false) : readFleet(workspace, filters, options)
}

async function readAll(workspace: string, filters: Filters, limit: readonly string[] | null): Promise<Fleet> {
  const actor = systemActor('fleet', limit)
  const read = new Map<string, Deployment>()
  let isCut = false
  for (let offset = 0; offset < MOST_COUNTED; offset += PAGE) {
    const query = { ...filters, limit: PAGE, offset }
    const { resources } = await call(controlPlane.listDeployments, { workspace, query }, { actor })
    for (const one of resources) read.set(one.id, one)
    isCut = resources.length >= PAGE
    if (!isCut) break
  }
  return fleetOf(workspace, [...read.values()], isCut)
}

async function fleetOf(workspace: string, all: readonly Deployment[], isCut: boolean): Promise<Fleet> {
  // Where the latest revision is the active one, its state changes nothing.
  const changing = all.filter(({ latest_revision_id: latest, active_revision_id: active }) => latest !== active)
  const states = await revisionStates(workspace, changing, JOIN_MS)
  return { rows: all.map((one) => rowOf(one, states)), deployments: new Map(all.map((one) => [one.id, one])), isCut }
}

/** How many deployments are in each group. */
export function healthOf({ rows, isCut }: Pick<Fleet, 'rows' | 'isCut'>): FleetHealth {
  const counts = Object.fromEntries(HEALTH_GROUPS.map((group) => [group, 0])) as FleetHealth['counts']
  for (const row of rows) counts[healthGroup(row)] += 1
  return { counts, isCut }
}
