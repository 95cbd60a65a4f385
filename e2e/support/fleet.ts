import { setTimeout as pause } from 'node:timers/promises'
import { type Seen, startStubUpstream } from './stub-upstream'

// A control plane with any number of deployments, in this process. Serves only what a list of them needs.

type Query = URLSearchParams
const STATUSES = ['READY', 'READY', 'READY', 'AWAITING_DATABASE', 'UNUSED', 'UNKNOWN', 'SOME_STATUS_OF_TOMORROW']
const TYPES = ['prod', 'dev', 'dev_free']

const idOf = (number: number, kind = 0) => `00000000-0000-4000-8000-${String(kind * 1e10 + number).padStart(12, '0')}`
const at = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString()

/** A deployment in the API's format. Higher numbers are newer. */
function record(number: number) {
  return {
    id: idOf(number),
    name: `fleet-${String(number).padStart(5, '0')}`,
    source: 'github',
    source_config: {
      integration_id: idOf(1, 9),
      repo_url: `https://git.example.com/agents/agent-${number}`,
      deployment_type: TYPES[number % TYPES.length],
      build_on_push: false,
      custom_url: `https://agent-${number}.example.com`,
      resource_spec: { cpu: 1, memory_mb: 1024 },
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json', repo_commit_sha: 'c0ffee'.repeat(6) },
    secrets: Array.from({ length: 10 }, (_, index) => ({
      name: `SECRET_${index}`,
      value: `value ${index} of ${number}`,
    })),
    created_at: at(number),
    updated_at: at(number),
    status: STATUSES[number % STATUSES.length] ?? 'READY',
    latest_revision_id: idOf(number, 1),
    active_revision_id: number % 4 === 0 ? idOf(number, 2) : idOf(number, 1),
    image_version: `0.${number % 50}`,
    tag_value_ids: [idOf(number % 10, 3)],
    is_remote_reconciled: number % 2 === 0,
    agent: { id: `agent-${number % 100}`, environment: number % 5 === 0 ? 'staging' : 'production' },
  }
}
type FleetRecord = ReturnType<typeof record>

const FILTERS: Record<string, (one: FleetRecord, value: string) => boolean> = {
  name_contains: ({ name }, value) => name.includes(value),
  name: ({ name }, value) => name === value,
  status: ({ status }, value) => status === value,
  deployment_type: ({ source_config }, value) => source_config.deployment_type === value,
  image_version: ({ image_version }, value) => image_version === value,
  remote_reconciled: ({ is_remote_reconciled }, value) => String(is_remote_reconciled) === value,
  tag_value_ids: ({ tag_value_ids }, value) => tag_value_ids.some((id) => value.split(',').includes(id)),
  deployment_ids: ({ id }, value) => value.split(',').includes(id),
  agent_id: ({ agent }, value) => agent.id === value,
  agent_environment: ({ agent }, value) => agent.environment === value,
}

type FleetOptions = {
  /** The latency of each response. */
  latencyMs?: number
  /** Names other than `fleet-…`, by number. */
  names?: Record<number, string>
  /** Paths for which this server responds "not found". */
  lacks?: RegExp
}

export async function startFleet(count: number, { latencyMs = 0, names = {}, lacks }: FleetOptions = {}) {
  let list = Array.from({ length: count }, (_, index) => {
    const one = record(count - 1 - index)
    return { ...one, name: names[count - 1 - index] ?? one.name }
  })
  let next = count
  /** The query of each list request. */
  const lists: Query[] = []

  function respond({ method, path }: Seen) {
    const { pathname, searchParams: query } = new URL(path, 'http://fleet')
    const [id, revisions, revision, more] = pathname.split('/').slice(3)
    if (!pathname.startsWith('/v2/deployments') || more || lacks?.test(pathname))
      return { status: 404, body: { detail: 'Not Found' } }
    if (!id) {
      lists.push(query)
      const limit = Number(query.get('limit') ?? 20)
      if (limit > 100) return { status: 422, body: { detail: 'limit: at most 100' } }
      const offset = Number(query.get('offset') ?? 0)
      const filters = [...query].flatMap(([name, value]) => (FILTERS[name] ? [{ matches: FILTERS[name], value }] : []))
      const found = list.filter((one) => filters.every(({ matches, value }) => matches(one, value)))
      const resources = found.slice(offset, offset + limit)
      return { body: { resources, offset: offset + resources.length } }
    }
    const found = list.find((one) => one.id === id)
    if (!found) return { status: 404, body: { detail: `Deployment ${id} not found` } }
    if (method === 'DELETE') {
      list = list.filter((one) => one !== found)
      return { status: 204 }
    }
    if (!revisions) return { body: found }
    const known = [...new Set([found.latest_revision_id, found.active_revision_id])].map((own) => ({
      id: own,
      created_at: found.created_at,
      updated_at: found.updated_at,
      status: 'DEPLOYED',
      source: found.source,
      source_revision_config: found.source_revision_config,
    }))
    return { body: revision ? known.find((one) => one.id === revision) : { resources: known, offset: known.length } }
  }

  const stub = await startStubUpstream(async (seen) => {
    if (latencyMs > 0) await pause(latencyMs)
    return respond(seen)
  })
  return {
    url: stub.url,
    stop: stub.stop,
    lists,
    /** The number of requests so far. */
    requests: () => stub.seen.length,
    /** The current names, newest first. */
    names: () => list.map(({ name }) => name),
    /** Adds deployments at the top. */
    add(many: number) {
      for (let left = many; left > 0; left--) list = [record(next++), ...list]
    },
    remove(names: readonly string[]) {
      list = list.filter(({ name }) => !names.includes(name))
    },
  }
}
