import { setTimeout as sleep } from 'node:timers/promises'
import { and, inArray, isNull, lt, lte, sql } from 'drizzle-orm'
import type { Servers } from '../compute/compute'
import type { Db } from '../kernel/database'
import { reasonOf } from '../kernel/database'
import { isLoopback, loopbackName } from '../kernel/loopback'
import { gatewayCopies, gatewayEntries } from '../kernel/schema'
import type { Sealer } from '../kernel/seal'
import type { Store } from '../kernel/store'
import type { Gateways } from '../rollout/gateways'
import type { Target } from '../rollout/rollouts'
import { CHANNEL, Entry, entrySealer, hashOf, isConnected, POLICY, type Policy, type PublishedServers } from './entries'
import { neverDeployed } from './never-deployed'
import { ensureGatewayRole } from './role'

const RETRY_MS = 1000
/** How long a roll-out waits for gateways to follow before it goes on. The drain waits for them again. */
const FOLLOW_MS = 2000
const FOLLOW_LOOK_MS = 20
const CHUNK = 500

const connected = sql.raw(isConnected('gateway_copies.id'))

export type PublisherOptions = {
  db: Db
  store: Store
  gatewayKey: string
  policy: Policy
  target(deploymentId: string): Target
  log(line: string): void
}

/** Tells the gateways that run apart where each deployment is, and asks them what is open. */
export class Publisher implements Gateways {
  readonly #sealer: Sealer
  readonly #published = new Map<string, Entry>()
  readonly #changed = new Set<string>()
  /** Deployments whose servers this platform has found or started. */
  readonly #found = new Set<string>()
  readonly #loopback = loopbackName()
  #version = 0
  #work: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(private readonly options: PublisherOptions) {
    this.#sealer = entrySealer(options.gatewayKey)
  }

  /** Withdraws what ended with the last platform, and publishes the policy of this one. */
  static async open(options: PublisherOptions): Promise<Publisher> {
    const publisher = new Publisher(options)
    const { db, store, gatewayKey, policy, log } = options
    await ensureGatewayRole(db, store, gatewayKey, log)
    await publisher.#read()
    await publisher.#write([[POLICY, policy]])
    await publisher.#untilFollowed()
    return publisher
  }

  /** Publishes every deployment. */
  async start(): Promise<void> {
    await this.#next(async () => {
      const known = new Set(await this.options.store.deploymentIds())
      const gone = [...this.#published.keys()].filter((id) => !known.has(id))
      const urls = new Map((await this.options.store.customUrls()).map(({ id, url }) => [id, url]))
      const reasons = await neverDeployed(this.options.store)
      const all = [...known].map((id): [string, Entry | null] => [
        id,
        this.#entryOf(id, urls.get(id) ?? null, reasons.get(id)),
      ])
      await this.#write([...all, ...gone.map((id): [string, null] => [id, null])])
    })
  }

  changed(deploymentId: string): void {
    if (this.#isClosed) return
    this.#changed.add(deploymentId)
    if (this.#changed.size > 1) return
    void this.#next(async () => {
      while (this.#changed.size && !this.#isClosed) {
        const ids = [...this.#changed]
        this.#changed.clear()
        try {
          for (const id of ids) {
            const { store } = this.options
            const [customUrl, reasons] = await Promise.all([store.customUrlOf(id), neverDeployed(store, id)])
            await this.#write([[id, this.#entryOf(id, customUrl, reasons.get(id))]])
          }
        } catch (error) {
          this.options.log(`The gateways could not be told of a change: ${reasonOf(error)}`)
          for (const id of ids) this.#changed.add(id)
          await sleep(RETRY_MS)
        }
      }
    })
  }

  async lead(deploymentId: string, servers: Servers): Promise<void> {
    try {
      await this.#next(async () => {
        const customUrl = (await this.options.store.customUrlOf(deploymentId)) ?? null
        await this.#write([[deploymentId, { customUrl, servers: this.#serversOf(servers) }]])
      })
      await this.#untilFollowed()
    } catch (error) {
      this.options.log(`The gateways could not be told of a roll-out: ${reasonOf(error)}`)
      this.changed(deploymentId)
    }
  }

  async openRequests(servers: Servers): Promise<number> {
    const id = idOf(servers)
    await this.#work
    const open = sql<number>`coalesce(sum(case when ${gatewayCopies.version} < ${this.#version} then 1
      else coalesce((${gatewayCopies.draining} ->> ${id})::int, 0) end), 0)::int`
    try {
      const [row] = await this.options.db.select({ open }).from(gatewayCopies).where(connected)
      return row?.open ?? 0
    } catch {
      // Not known: wait on, as long as the drain may take.
      return 1
    }
  }

  /** The platform ends: what cannot live without it is withdrawn. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#next(() => this.#withdraw()).catch((error: Error) => this.options.log(reasonOf(error)))
  }

  /** One change at a time, so that a version is visible only after all before it. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.then(
      () => {},
      () => {},
    )
    return done
  }

  async #read(): Promise<void> {
    const { db } = this.options
    const rows = await db.select().from(gatewayEntries)
    this.#version = Math.max(0, ...rows.map(({ version }) => version))
    const unreadable: string[] = []
    for (const { key, sealed } of rows) {
      if (key === POLICY || !sealed) continue
      try {
        this.#published.set(key, Entry.parse(this.#sealer.open(sealed, key)))
      } catch {
        // Sealed with an earlier key, or by a platform of another version. `start` writes it again.
        unreadable.push(key)
      }
    }
    if (unreadable.length) await db.delete(gatewayEntries).where(inArray(gatewayEntries.key, unreadable))
    // What all gateways have taken note of.
    const seen = sql`coalesce((select min(version) from ${gatewayCopies} where ${connected}), ${this.#version})`
    await db.delete(gatewayEntries).where(and(isNull(gatewayEntries.sealed), lte(gatewayEntries.version, seen)))
    await this.#withdraw()
  }

  async #withdraw(): Promise<void> {
    const ended = [...this.#published].filter(([, { servers }]) => servers?.endsWithPlatform)
    await this.#write(
      ended.map(([id, { customUrl }]): [string, Entry] => [id, { customUrl, servers: null, isReturning: true }]),
    )
  }

  #entryOf(id: string, customUrl: string | null | undefined, reason: string | undefined): Entry | null {
    const target = this.options.target(id)
    if (customUrl === undefined || target.state === 'unknown') return null
    if (target.state === 'up') {
      this.#found.add(id)
      return { customUrl, servers: this.#serversOf(target.child) }
    }
    // Those that outlived the last platform serve until this one has found them.
    const servers = (!this.#found.has(id) && this.#published.get(id)?.servers) || null
    if (servers) return { customUrl, servers }
    return { customUrl, servers, ...(reason && { reason }), ...(target.isReturning && { isReturning: true }) }
  }

  #serversOf(servers: Servers): PublishedServers {
    const { host, ports = [servers.port], isSecure = false, prefix = '', secret, agent } = servers
    const { authenticates, endsWithPlatform = false } = servers
    const loopback = isLoopback(host) ? this.#loopback : null
    const address = agent ? null : { host, ports: [...ports], isSecure, prefix, secret, loopback }
    return { id: idOf(servers), authenticates, endsWithPlatform, address }
  }

  async #untilFollowed(): Promise<void> {
    const { db } = this.options
    const version = this.#version
    const behind = and(connected, lt(gatewayCopies.version, version))
    for (const end = Date.now() + FOLLOW_MS; Date.now() < end; await sleep(FOLLOW_LOOK_MS))
      if (!(await db.$count(gatewayCopies, behind))) return
  }

  /** Writes what differs from what is published. */
  async #write(entries: [key: string, entry: Entry | Policy | null][]): Promise<void> {
    const changed = entries.filter(
      ([key, entry]) =>
        key === POLICY || JSON.stringify(entry ?? undefined) !== JSON.stringify(this.#published.get(key)),
    )
    for (let from = 0; from < changed.length; from += CHUNK) {
      const chunk = changed.slice(from, from + CHUNK)
      const version = this.#version + 1
      const rows = chunk.map(([key, entry]) => ({
        key,
        sealed: entry && this.#sealer.seal(entry, key),
        version,
      }))
      await this.options.db.transaction(async (tx) => {
        await tx
          .insert(gatewayEntries)
          .values(rows)
          .onConflictDoUpdate({
            target: gatewayEntries.key,
            set: { sealed: sql`excluded.sealed`, version: sql`excluded.version` },
          })
        await tx.execute(sql`select pg_notify(${CHANNEL}, '')`)
      })
      this.#version = version
      for (const [key, entry] of chunk)
        if (!entry) this.#published.delete(key)
        else if ('servers' in entry) this.#published.set(key, entry)
    }
  }
}

/** The secret stays the same as long as the servers do, through a restart of the platform too. */
const idOf = ({ secret }: Servers) => hashOf(`servers ${secret}`)
