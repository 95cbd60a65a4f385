import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { asc, eq, sql } from 'drizzle-orm'
import type { WebSocket } from 'ws'
import { type Db, isUniqueViolation } from '../../kernel/database'
import { deployments, type ListenerAbout, type ListenerRow, listeners } from '../../kernel/schema'
import type { KubernetesCompute } from '../kubernetes/kubernetes-compute'
import { addressFrom, type ComputeParts, computeOn } from '../kubernetes/open'
import { RemoteCluster } from './remote-cluster'
import { TunnelAgent, TunnelPool } from './tunnel-pool'
import type { Report, Work, WorkRequest } from './wire'

export class ListenerNameTakenError extends Error {}
export class ListenerInUseError extends Error {}
export class NamespaceInUseError extends Error {}

type Joined = { row: ListenerRow; cluster: RemoteCluster; compute: KubernetesCompute; tunnels: TunnelPool }

const SEEN_MS = 15_000
/** Where the gateway reaches services until a listener has said it. */
const AGENT_URL = 'http://{service}.{namespace}.svc:8000'

/** The clusters that listeners join: their records, tokens, work and computes. */
export class Listeners {
  readonly #joined = new Map<string, Joined>()

  private constructor(
    private readonly db: Db,
    private readonly parts: ComputeParts,
  ) {}

  static async open(db: Db, parts: ComputeParts): Promise<Listeners> {
    const all = new Listeners(db, parts)
    for (const row of await db.select().from(listeners).orderBy(asc(listeners.createdAt))) all.#join(row)
    return all
  }

  list(): ListenerRow[] {
    return [...this.#joined.values()].map(({ row }) => row)
  }

  find(id: string): ListenerRow | undefined {
    return this.#joined.get(id.toLowerCase())?.row
  }

  computeOf(id: string): KubernetesCompute | undefined {
    return this.#joined.get(id.toLowerCase())?.compute
  }

  computes(): KubernetesCompute[] {
    return [...this.#joined.values()].map(({ compute }) => compute)
  }

  /** Returns the token too, which is stored nowhere. */
  async create(computeId: string, namespaces: string[]): Promise<{ row: ListenerRow; token: string }> {
    const token = newToken()
    try {
      const [row] = await this.db
        .insert(listeners)
        .values({ id: randomUUID(), computeId, namespaces, tokenHash: hashOf(token) })
        .returning()
      this.#join(row as ListenerRow)
      return { row: row as ListenerRow, token }
    } catch (error) {
      if (isUniqueViolation(error, 'listeners_compute_id')) throw new ListenerNameTakenError()
      throw error
    }
  }

  /** Refused where deployments run: what they have in a namespace that is not looked at is never removed. */
  async setNamespaces(id: string, namespaces: string[]): Promise<ListenerRow | undefined> {
    const [first] = this.find(id)?.namespaces ?? []
    const lost = (await this.#deploymentsOn(id)).flatMap(({ name, namespace }) => {
      const isKept = namespace ? namespaces.includes(namespace) : namespaces[0] === first
      return isKept ? [] : [{ name, namespace: namespace ?? first ?? '', isFirst: !namespace }]
    })
    if (lost.length) {
      const are = lost.length === 1 ? 'runs' : 'run'
      const places = [...new Set(lost.map(({ namespace }) => namespace))]
      const keep = `Keep ${places.length === 1 ? 'this namespace' : 'these namespaces'}`
      const order = lost.some(({ isFirst }) => isFirst) ? `, with ${first} as the first one` : ''
      throw new NamespaceInUseError(
        `${listed(lost.map(({ name }) => name))} ${are} in ${listed(places)}. ${keep}${order}`,
      )
    }
    return this.#update(id, { namespaces })
  }

  #deploymentsOn(id: string): Promise<{ name: string; namespace: string | null }[]> {
    const { name, sourceConfig, createdAt } = deployments
    const namespace = sql<string | null>`${sourceConfig}->'listener_config'->>'k8s_namespace'`
    return this.db
      .select({ name, namespace })
      .from(deployments)
      .where(sql`lower(${sourceConfig}->>'listener_id') = ${id.toLowerCase()}`)
      .orderBy(asc(createdAt))
  }

  /** Replaces the token; the former one stops working at once. */
  async renewToken(id: string): Promise<string> {
    const token = newToken()
    await this.#update(id, { tokenHash: hashOf(token) })
    this.#cutOff(id)
    return token
  }

  async revokeToken(id: string): Promise<void> {
    await this.#update(id, { tokenHash: null })
    this.#cutOff(id)
  }

  /** Ends all that a token had opened. */
  #cutOff(id: string): void {
    const joined = this.#joined.get(id)
    joined?.cluster.endWaiting()
    joined?.tunnels.closeAll()
  }

  /** Takes a tunnel of a listener, whose token was checked. */
  addTunnel(id: string, socket: WebSocket): void {
    const tunnels = this.#joined.get(id)?.tunnels
    if (!tunnels || tunnels.isFull) socket.close(1013, 'There are too many tunnels of this listener.')
    else tunnels.add(socket)
  }

  closeTunnels(): void {
    for (const { tunnels } of this.#joined.values()) tunnels.closeAll()
  }

  async remove(id: string): Promise<void> {
    const using = await this.#deploymentsOn(id)
    if (using.length) {
      const names = listed(using.map(({ name }) => name))
      throw new ListenerInUseError(
        `Listener ${this.find(id)?.computeId} cannot be deleted: ${names} ${using.length === 1 ? 'uses' : 'use'} it.`,
      )
    }
    await this.db.delete(listeners).where(eq(listeners.id, id))
    await this.#joined.get(id)?.compute.close()
    this.#joined.get(id)?.tunnels.closeAll()
    this.#joined.delete(id)
  }

  /** The listener of a token; undefined for one that is not valid, or no longer. */
  idOfToken(token: string): string | undefined {
    const hash = hashOf(token)
    return [...this.#joined.values()].find(({ row }) => row.tokenHash === hash)?.row.id
  }

  async work(id: string, request: WorkRequest, signal: AbortSignal): Promise<Work> {
    const { version, cluster, agentUrl, database, hasTunnels } = request
    const joined = this.#joined.get(id)
    if (!joined) throw new Error('The listener is gone.')
    const about: ListenerAbout = { version, cluster, agentUrl, database, ...(hasTunnels && { hasTunnels }) }
    const isNew = JSON.stringify(joined.row.about) !== JSON.stringify(about)
    const seenMs = joined.row.lastSeenAt ? Date.now() - joined.row.lastSeenAt.getTime() : Number.POSITIVE_INFINITY
    if (isNew || seenMs > SEEN_MS) await this.#update(id, { about, lastSeenAt: new Date() }, isNew)
    return joined.cluster.work(request, signal)
  }

  report(id: string, report: Report): void {
    this.#joined.get(id)?.cluster.report(report)
  }

  async #update(
    id: string,
    values: Partial<Pick<ListenerRow, 'namespaces' | 'tokenHash' | 'about' | 'lastSeenAt'>>,
    isEdit = true,
  ): Promise<ListenerRow | undefined> {
    const [row] = await this.db
      .update(listeners)
      .set({ ...values, ...(isEdit && { updatedAt: sql`now()` }) })
      .where(eq(listeners.id, id))
      .returning()
    const joined = this.#joined.get(id)
    if (row && joined) joined.row = row
    return row
  }

  #join(row: ListenerRow): void {
    const cluster = new RemoteCluster(row.computeId, row.lastSeenAt ?? row.createdAt, row.lastSeenAt === null)
    const tunnels = new TunnelPool()
    const current = () => this.#joined.get(row.id)?.row ?? row
    const compute = computeOn(
      cluster,
      {
        get namespaces() {
          return current().namespaces
        },
        // Only images can name a listener, so nothing is built in its pods.
        image: '',
        addressOf: (service) => {
          const { agentUrl = AGENT_URL, hasTunnels = false } = current().about ?? {}
          const address = addressFrom(agentUrl)(service)
          if (!hasTunnels) return address
          const target = { service: service.name, namespace: service.namespace }
          return { ...address, agent: new TunnelAgent(() => tunnels.connect(target)) }
        },
        get database() {
          return current().about?.database ?? undefined
        },
      },
      this.parts,
    )
    this.#joined.set(row.id, { row, cluster, compute, tunnels })
  }
}

const MOST_LISTED = 5

/** "a, b and 3 more". */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, names.length > MOST_LISTED ? MOST_LISTED - 1 : MOST_LISTED)
  const last = names.length > shown.length ? `${names.length - shown.length} more` : shown.pop()
  return shown.length ? `${shown.join(', ')} and ${last}` : (last ?? '')
}

const newToken = () => `phl_${randomBytes(32).toString('base64url')}`
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
