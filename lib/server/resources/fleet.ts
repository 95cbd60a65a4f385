import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import {
  type DeploymentRow,
  type FailingDeployments,
  type FleetHealth,
  HEALTH_GROUPS,
  healthGroup,
  MOST_COUNTED,
  rowOf,
} from '@/lib/contracts/deployments/deployment-row'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { InputOf } from '@/lib/contracts/wire/api'
import { systemActor } from '../access/actor'
import { within } from '../process/within'
import { call } from '../upstream/call'
import { authorize, type CallOptions } from '../upstream/call-context'
import { revisionStates } from './revision-cache'
import { failingDeployments } from './runs/failing'

// Control planes list deployments in pages and know no health, so all pages are read, once for all viewers.

const PAGE = 100
/** How long a reading is shared, per page that it took. */
const KEPT_MS = 3_000
/** A reading under way for longer than this may hang, and must be waited for to know. */
const HESITATE_MS = 3_000
const JOIN_MS = 1_500
const MOST_KEPT = 100

type Told = {
  rows: DeploymentRow[]
  deployments: ReadonlyMap<string, Deployment>
  isCut: boolean
  /** Undefined while it is read. */
  failing: FailingDeployments | undefined
}
/** `whole`: the same once it is known whose runs fail, after seconds if the tracing server is slow. */
export type Fleet = Told & { whole(): Promise<Told> }
type Filters = Omit<NonNullable<InputOf<typeof controlPlane.listDeployments>['query']>, 'limit' | 'offset'>

type Reading = {
  fleet: Promise<Fleet>
  began: number
  /** When it is too old. Infinite while it is under way. */
  until: number
  /** What arrived last, with this reading or with the one before it. */
  last: { fleet: Fleet; at: number } | undefined
}

const kept = new Map<string, Reading>()
const keptFor = ({ rows }: Fleet) => KEPT_MS * Math.ceil((rows.length + 1) / PAGE)

/** The first 1,000 deployments that match the control plane's filters, with their health. Throws AppError like `call`. */
export async function readFleet(workspace: string, filters: Filters, options: CallOptions = {}): Promise<Fleet> {
  return (await readingOf(workspace, filters, options)).fleet
}

/** The same, but while a new reading has just begun, the one before it, so that only the first caller waits. */
export async function readFleetSoon(workspace: string, filters: Filters, options: CallOptions = {}): Promise<Fleet> {
  const { fleet, began, last } = await readingOf(workspace, filters, options)
  const now = Date.now()
  return last && now < began + HESITATE_MS && now < last.at + 2 * keptFor(last.fleet) ? last.fleet : fleet
}

/** The same, but read for this caller where it is a single page, so that it has what was just created. */
export async function readFreshFleet(workspace: string, filters: Filters, options: CallOptions = {}): Promise<Fleet> {
  const known = await lastFleet(workspace, filters, options)
  if (known && known.rows.length >= PAGE) return readFleetSoon(workspace, filters, options)
  const query = { ...filters, limit: PAGE, offset: 0 }
  const failing = readFailing(workspace, options)
  const { resources } = await call(controlPlane.listDeployments, { workspace, query }, options)
  return resources.length < PAGE
    ? fleetOf(workspace, resources, { isCut: false, failing })
    : readFleetSoon(workspace, filters, options)
}

/** The deployments of the workspace whose runs are known to fail. Undefined if the deployments could not be read. */
export const readFailing = (workspace: string, options: CallOptions): Promise<FailingDeployments | undefined> =>
  readFleetSoon(workspace, {}, options)
    .then((fleet) => fleet.whole())
    .then(
      ({ failing }) => failing,
      () => undefined,
    )

/** The last reading, however old. */
export async function lastFleet(
  workspace: string,
  filters: Filters,
  { actor }: CallOptions,
): Promise<Fleet | undefined> {
  const { limit } = await authorize(controlPlane.listDeployments, { workspace }, actor)
  return kept.get(keyOf(workspace, filters, limit))?.last?.fleet
}

const keyOf = (...parts: [workspace: string, filters: Filters, limit: readonly string[] | null]) =>
  JSON.stringify(parts)

async function readingOf(workspace: string, filters: Filters, { actor }: CallOptions): Promise<Reading> {
  const { limit } = await authorize(controlPlane.listDeployments, { workspace }, actor)
  const key = keyOf(workspace, filters, limit)
  const known = kept.get(key)
  if (known && Date.now() < known.until) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  const reading: Reading = {
    fleet: readAll(workspace, filters, limit),
    began: Date.now(),
    until: Number.POSITIVE_INFINITY,
    last: known?.last,
  }
  kept.set(key, reading)
  reading.fleet.then(
    (fleet) => {
      reading.last = { fleet, at: Date.now() }
      reading.until = reading.last.at + keptFor(fleet)
    },
    () => {
      reading.until = 0
    },
  )
  return reading
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
  const all = [...read.values()]
  const failing = Object.values(filters).some((one) => one !== undefined)
    ? readFailing(workspace, { actor })
    : failingDeployments(workspace, all, limit)
  return fleetOf(workspace, all, { isCut, failing })
}

type Rest = { isCut: boolean; failing: Promise<FailingDeployments | undefined> }

async function fleetOf(workspace: string, all: readonly Deployment[], { isCut, failing }: Rest): Promise<Fleet> {
  // Where the latest revision is the active one, its state changes nothing.
  const changing = all.filter(({ latest_revision_id: latest, active_revision_id: active }) => latest !== active)
  const [states, known] = await Promise.all([
    revisionStates(workspace, changing, JOIN_MS),
    within(JOIN_MS, failing, undefined),
  ])
  const deployments = new Map(all.map((one) => [one.id, one]))
  const told = (of: FailingDeployments | undefined): Told => ({
    rows: all.map((one) => rowOf(one, states, of)),
    deployments,
    isCut,
    failing: of,
  })
  return { ...told(known), whole: async () => told(await failing) }
}

/** How many deployments are in each group. */
export function healthOf({ rows, isCut }: Pick<Fleet, 'rows' | 'isCut'>): FleetHealth {
  const counts = Object.fromEntries(HEALTH_GROUPS.map((group) => [group, 0])) as FleetHealth['counts']
  for (const row of rows) counts[healthGroup(row)] += 1
  return { counts, isCut }
}
