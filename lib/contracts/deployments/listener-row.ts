import type { Listener, ListenerConnection, ListenersList } from './listeners'

/** In the order of a list: what needs attention comes first. */
export const LISTENER_STATES = ['away', 'revoked', 'never', 'unknown', 'connected'] as const
export type ListenerStateName = (typeof LISTENER_STATES)[number]

/** `isWaiting`: its roll-out waits for the listener, which is away. */
export type ListenerDeployment = { id: string; name: string; isWaiting: boolean }

export type ListenerRow = {
  id: string
  /** Its compute ID, which names the cluster. */
  name: string
  type: string
  /** Null where it has none, as processes of a machine. */
  namespaces: string[] | null
  version: string | null
  createdAt: string | null
  /** Null where the control plane says nothing about it. */
  connection: ListenerConnection | null
  /** Those that wait come first, and there may be more than these. Null if they could not be read. */
  deployments: ListenerDeployment[] | null
  deploymentCount: number
  waitingCount: number
}

export type ListenerRowsPage = {
  rows: ListenerRow[]
  /** How many match the filters. */
  total: number
  /** How many there are in each state, whatever the filters. */
  counts: Record<ListenerStateName, number>
  /** Deployments that wait for a listener, and how many there are. */
  waiting: { deployments: ListenerDeployment[]; count: number } | null
  /** There are more deployments than were read. */
  isCut: boolean
}

const PAGE = 100

/** The listeners of all pages. */
export async function everyListener(
  readPage: (query: { limit: number; offset: number }) => Promise<Pick<ListenersList, 'resources'>>,
): Promise<Listener[]> {
  const read = new Map<string, Listener>()
  for (let offset = 0; ; offset += PAGE) {
    const { resources } = await readPage({ limit: PAGE, offset })
    const known = read.size
    for (const one of resources) read.set(one.id, one)
    // A server that ignores the offset sends the first page for ever.
    if (resources.length < PAGE || read.size === known) return [...read.values()]
  }
}

/** The platform itself, which cannot be changed or deleted. */
export const isOwnListener = ({ connection }: Pick<Listener, 'connection'>): boolean => connection?.token === null

export function listenerStateOf(connection: ListenerConnection | null | undefined): ListenerStateName {
  if (!connection) return 'unknown'
  if (connection.token === 'revoked') return 'revoked'
  if (!connection.away) return 'connected'
  return connection.away.since === null ? 'never' : 'away'
}

/** Rows in the order of attention: by state, then by how many deployments wait and are there. */
export const sortListeners = (rows: readonly ListenerRow[]): ListenerRow[] => {
  const rank = ({ connection }: ListenerRow) => LISTENER_STATES.indexOf(listenerStateOf(connection))
  return rows.toSorted(
    (a, b) =>
      b.waitingCount - a.waitingCount ||
      rank(a) - rank(b) ||
      b.deploymentCount - a.deploymentCount ||
      a.name.localeCompare(b.name, 'en', { numeric: true }),
  )
}
