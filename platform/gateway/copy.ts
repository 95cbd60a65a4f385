import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CONNECTION, SERVER_KEEPALIVES } from '@/lib/postgres/connections'
import { loopbackName } from '../kernel/loopback'
import { CustomUrls } from './custom-urls'
import {
  CHANNEL,
  Entry,
  entrySealer,
  gatewayRole,
  hashOf,
  isConnected,
  lockOf,
  POLICY,
  Policy,
  type PublishedServers,
} from './entries'
import { FollowedServers, platformUpstream } from './followed-servers'
import type { Route, Upstream } from './upstream'

const RETRY_MS = 500
const LONGEST_RETRY_MS = 5000
const ANSWER_MS = 5000
/** A notification may be missed. */
const POLL_MS = 5000
/** How soon the platform learns that a request to a replaced server has ended. */
const DRAIN_LOOK_MS = 100
/** Without the database for this long, it is not known which keys and servers are still valid. */
const TRUST_MS = 30_000

export type CopyOptions = {
  databaseUrl: string
  gatewayKey: string
  platformUrl?: string | undefined
  log(level: 'info' | 'error', message: string): void
}
type Known = Entry & { upstream: Upstream | undefined }

/** What this gateway knows of the deployments: follows the entries of the platform, and tells it what is still open. */
export class Copy {
  readonly customUrls = new CustomUrls(async () =>
    [...this.#known].flatMap(([id, { customUrl }]) => (customUrl ? [{ id, url: customUrl }] : [])),
  )
  policy: Policy | undefined
  readonly #known = new Map<string, Known>()
  /** Servers that were replaced, while requests to them are open. */
  readonly #draining = new Map<string, Upstream>()
  readonly #sealer
  readonly #platform: Upstream | undefined
  readonly #loopback = loopbackName()
  #client: pg.Client | undefined
  #id = 0
  #version = 0
  #said = ''
  /** Why it is not connected, and since when; undefined while it is. */
  #away: { reason: string; since: number } | undefined = { reason: 'connecting', since: Date.now() }
  #isClosed = false
  readonly #running: Promise<void>

  constructor(private readonly options: CopyOptions) {
    this.#sealer = entrySealer(options.gatewayKey)
    this.#platform = options.platformUrl ? platformUpstream(options.platformUrl) : undefined
    this.#running = this.#run()
  }

  /** Why it should get no requests. */
  get problem(): string | undefined {
    if (this.#away) return `The platform's database cannot be used: ${this.#away.reason}.`
    if (!this.policy) return 'The platform has published nothing yet. Start it with the same PILOTHOUSE_GATEWAY_KEY.'
    return undefined
  }

  /** Whether what it knows may be used, even if it has lost its database just now. */
  get isCurrent(): boolean {
    return this.policy !== undefined && (!this.#away || Date.now() - this.#away.since < TRUST_MS)
  }

  get deployments(): number {
    return this.#known.size
  }

  isKey(given: string): boolean {
    return this.policy !== undefined && timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(this.policy.keyHash))
  }

  route(deploymentId: string): Route {
    const known = this.#known.get(deploymentId)
    if (!known) return { state: 'unknown' }
    if (known.upstream) return { state: 'up', child: known.upstream }
    if (!known.servers) return { state: 'down', isReturning: known.isReturning ?? false }
    const reason = 'This gateway cannot reach the agent server of this deployment. Set PILOTHOUSE_PLATFORM_URL.'
    return { state: 'down', reason }
  }

  async whyDown(deploymentId: string): Promise<string | undefined> {
    return this.#known.get(deploymentId)?.reason
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#client?.end().catch(() => {})
    await this.#running
  }

  async #run(): Promise<void> {
    for (let pause = RETRY_MS; !this.#isClosed; pause = Math.min(pause * 2, LONGEST_RETRY_MS)) {
      try {
        await this.#connection()
        this.#lost('the connection was closed')
      } catch (error) {
        if (!this.#away) pause = RETRY_MS
        this.#lost(this.#reasonOf(error as Error & { code?: string }))
      }
      if (!this.#isClosed) await sleep(pause)
    }
  }

  #reasonOf({ code, message }: Error & { code?: string }): string {
    const isRefused = code === '28P01' || code === '28000'
    if (!isRefused || new URL(this.options.databaseUrl).username) return message
    return 'it has no role for this PILOTHOUSE_GATEWAY_KEY. Start the platform with the same key'
  }

  #lost(reason: string): void {
    if (this.#isClosed) return
    if (this.#away?.reason !== reason) this.options.log('error', `The platform's database cannot be used: ${reason}`)
    this.#away = { reason, since: this.#away?.since ?? Date.now() }
  }

  /** Follows the entries until the connection ends. Rejects with the reason if it failed. */
  async #connection(): Promise<void> {
    const client = new pg.Client({
      ...CONNECTION,
      connectionString: this.#address(),
      application_name: 'pilothouse-gateway',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    this.#client = client
    const over = new Promise<void>((resolve, reject) => client.once('end', resolve).once('error', reject))
    over.catch(() => {})
    const follow = oneAtATime(
      async () => {
        await this.#load(client)
        await this.#report(client)
      },
      (error) => client.emit('error', error),
    )
    client.on('error', () => {})
    const timers: NodeJS.Timeout[] = []
    try {
      await client.connect()
      await client.query(SERVER_KEEPALIVES)
      await client.query(`listen ${CHANNEL}`)
      // Before it counts: roll-outs need not wait for a gateway that cannot open the entries.
      this.#version = -1
      await this.#load(client)
      await client.query(`delete from platform.gateway_copies where not ${isConnected('gateway_copies.id')}`)
      // Others see the number only when its lock is held.
      const { rows } = await client.query<{ id: number }>(
        `with made as (insert into platform.gateway_copies (version) values (-1) returning id)
         select id, ${lockOf('id')} from made`,
      )
      this.#id = rows[0]?.id ?? 0
      this.#said = ''
      client.on('notification', follow)
      await Promise.race([follow(), over])
      this.options.log('info', `Connected to the platform's database. It has ${this.deployments} deployments.`)
      this.#away = undefined
      timers.push(setInterval(follow, POLL_MS))
      timers.push(setInterval(() => this.#draining.size && follow(), DRAIN_LOOK_MS))
      await over
    } finally {
      for (const timer of timers) clearInterval(timer)
      // Not awaited: a server that is out of reach does not answer this either.
      void client.end().catch(() => {})
    }
  }

  /** Without a user in it, the address is completed with the role that the platform has made. */
  #address(): string {
    const { databaseUrl, gatewayKey } = this.options
    const url = new URL(databaseUrl)
    const { name, password } = gatewayRole(gatewayKey)
    return url.username ? databaseUrl : Object.assign(url, { username: name, password }).href
  }

  async #load(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ key: string; sealed: string | null; version: string }>(
      'select key, sealed, version from platform.gateway_entries where version > $1 order by version',
      [this.#version],
    )
    // After a lost connection everything is read again.
    const keys = new Set(rows.map(({ key }) => key))
    if (this.#version < 0) for (const key of this.#known.keys()) if (!keys.has(key)) this.#set(key, null)
    for (const { key, sealed } of rows) {
      const opened = sealed === null ? null : this.#open(sealed, key)
      if (key === POLICY) this.policy = Policy.parse(opened)
      else this.#set(key, opened === null ? null : Entry.parse(opened))
    }
    this.#version = Number(rows.at(-1)?.version ?? Math.max(0, this.#version))
    if (rows.length) await this.customUrls.refresh()
  }

  #open(sealed: string, key: string): unknown {
    try {
      return this.#sealer.open(sealed, key)
    } catch {
      throw new Error('PILOTHOUSE_GATEWAY_KEY is not that of the platform')
    }
  }

  #set(id: string, entry: Entry | null): void {
    const before = this.#known.get(id)
    if (before?.servers && before.servers.id !== entry?.servers?.id && before.upstream)
      this.#draining.set(before.servers.id, before.upstream)
    if (!entry) this.#known.delete(id)
    else
      this.#known.set(id, { ...entry, upstream: entry.servers ? this.#upstreamOf(entry.servers, before) : undefined })
  }

  #upstreamOf(servers: PublishedServers, before: Known | undefined): Upstream | undefined {
    const { id, address, authenticates } = servers
    const isNear = address && (!address.loopback || address.loopback === this.#loopback)
    if (!isNear) return this.#platform && { ...this.#platform, authenticates, openRequests: 0 }
    // The same servers keep their count. They may come back, after a roll-out that failed at its end.
    const same = before?.servers?.id === id ? before.upstream : this.#draining.get(id)
    this.#draining.delete(id)
    if (same instanceof FollowedServers) return same.update(address, authenticates)
    return new FollowedServers(address, authenticates)
  }

  async #report(client: pg.Client): Promise<void> {
    const draining: Record<string, number> = {}
    for (const [id, { openRequests }] of this.#draining)
      if (openRequests > 0) draining[id] = openRequests
      else this.#draining.delete(id)
    const saying = JSON.stringify([this.#version, draining])
    if (saying === this.#said) return
    await client.query('update platform.gateway_copies set version = $2, draining = $3 where id = $1', [
      this.#id,
      this.#version,
      draining,
    ])
    this.#said = saying
  }
}

/** Runs the work at once, or once more after the run in progress. */
function oneAtATime(work: () => Promise<void>, onError: (error: Error) => void): () => Promise<void> {
  let isWanted = false
  let running: Promise<void> | undefined
  const run = async () => {
    while (isWanted) {
      isWanted = false
      await work()
    }
  }
  return () => {
    isWanted = true
    running ??= run()
      .catch(onError)
      .finally(() => {
        running = undefined
      })
    return running
  }
}
