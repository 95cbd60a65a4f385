import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentsList } from '@/lib/contracts/deployments/deployments'
import { traces } from '@/lib/contracts/traces'
import type { TraceRunsPage } from '@/lib/contracts/traces/run-queries'
import type { AnyInput, Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { systemActor } from '../access/actor'
import type { CallContext } from './call-context'
import { reachOf } from './reach'
import { type Ask, projectsOf } from './tracing-projects'

// An operation on all deployments, for someone who is limited to some: the request asks for those, and the response is checked
// too, since servers ignore filters that they do not know. docs/decisions/0069-deployment-roles.md

type Input = OperationPlace & AnyInput

const KEPT_MS = 10_000
/** An id that no deployment and no tracing project has. */
const NONE = '00000000-0000-0000-0000-000000000000'

/** The projects of a limit, noted on the context so that the response can be checked against them. */
const projectsFor = new WeakMap<CallContext, Set<string>>()

/** The input that asks for no more than the context allows. Throws AppError not_found for what is outside of it. */
export async function narrow(op: Operation, input: Input, context: CallContext, ask: Ask): Promise<Input> {
  const { limit } = context
  if (limit === null || reachOf(op) !== 'deployments') return input
  if (op.api === 'control-plane') return { ...input, query: narrowList(input.query, limit) }
  if (op.id === traces.getTracingInfo.id) return input
  const projects = await allowedProjects(input.workspace, limit, ask)
  projectsFor.set(context, projects)
  const { params = {}, query, body } = input
  switch (op.id) {
    case traces.queryTraceRuns.id:
    case traces.getTraceTotals.id:
      return { ...input, body: { ...(isRecord(body) ? body : {}), session: among(projects, sessionsIn(body)) } }
    case traces.listTracingProjects.id:
      return { ...input, query: { ...(isRecord(query) ? query : {}), id: among(projects, idsIn(query)) } }
    case traces.getTracingProject.id:
      if (!projects.has(params.session_id ?? '')) throw outside()
      return input
    case traces.createFeedback.id: {
      const { run_id: run, ...named } = isRecord(body) ? body : {}
      if (typeof run !== 'string') throw outside()
      // Some servers take the trace's word for where a score belongs.
      if (named.trace_id !== undefined && named.trace_id !== run)
        await assertRun(input.workspace, { trace: named.trace_id }, limit, ask)
      await assertRun(input.workspace, { id: [run] }, limit, ask)
      return { ...input, body: { ...named, run_id: run, session_id: undefined } }
    }
    default:
      await assertRun(input.workspace, params.run_id ? { id: [params.run_id] } : { trace: params.trace_id }, limit, ask)
      return input
  }
}

function narrowList(query: unknown, limit: readonly string[]): unknown {
  const given = isRecord(query) ? query : {}
  const asked = given.deployment_ids === undefined ? limit : [given.deployment_ids].flat().join(',').split(',')
  const wanted = asked.map((id) => id.trim()).filter((id) => limit.includes(id))
  return { ...given, deployment_ids: wanted.length > 0 ? wanted.join(',') : NONE }
}

const sessionsIn = (body: unknown) => (isRecord(body) && Array.isArray(body.session) ? body.session.map(String) : null)
const idsIn = (query: unknown) => (isRecord(query) && query.id !== undefined ? [query.id].flat().map(String) : null)

/** Those of the asked projects that are allowed, by default all that are. */
function among(projects: ReadonlySet<string>, asked: readonly string[] | null): string[] {
  const wanted = asked && asked.length > 0 ? asked.filter((id) => projects.has(id)) : [...projects]
  return wanted.length > 0 ? wanted : [NONE]
}

/** Throws AppError not_found if none of the limit's projects has the run or trace. */
async function assertRun(workspace: string, which: object, limit: readonly string[], ask: Ask): Promise<void> {
  const body = { ...which, limit: 1, select: ['id', 'session_id'] }
  const actor = systemActor('traces', limit)
  const { runs } = (await ask(traces.queryTraceRuns, { workspace, body }, { actor })) as TraceRunsPage
  if (runs.length === 0) throw outside()
}

const outside = () =>
  new AppError('not_found', 'This does not exist, or it is outside the deployments that you have access to.')

const kept = new Map<string, { until: number; projects: Promise<Set<string>> }>()

function allowedProjects(workspace: string, limit: readonly string[], ask: Ask): Promise<Set<string>> {
  const key = JSON.stringify([workspace, limit])
  const known = kept.get(key)
  if (known && Date.now() < known.until) return known.projects
  for (const [one, { until }] of kept) if (until <= Date.now()) kept.delete(one)
  const projects = readProjects(workspace, limit, ask)
  kept.set(key, { until: Date.now() + KEPT_MS, projects })
  projects.catch(() => kept.delete(key))
  return projects
}

async function readProjects(workspace: string, limit: readonly string[], ask: Ask): Promise<Set<string>> {
  const query = { limit: 100, offset: 0, deployment_ids: limit.join(',') }
  const list = ask(controlPlane.listDeployments, { workspace, query }, { actor: systemActor('traces', limit) })
  const { resources } = (await list) as DeploymentsList
  // Projects are found by the names of the deployments among all projects, which never leave this server.
  const found = await projectsOf(ask, workspace, resources, { actor: systemActor('traces') })
  return new Set(found.keys())
}

/** The part of a response within the context's limit. */
export function withinLimit<T>(op: Operation, context: CallContext, value: T): T {
  const { limit } = context
  if (limit === null || reachOf(op) !== 'deployments') return value
  if (op.api === 'control-plane') {
    const list = value as DeploymentsList
    return { ...list, resources: list.resources.filter(({ id }) => limit.includes(id)) } as T
  }
  const projects = projectsFor.get(context) ?? new Set<string>()
  // Where the response does not tell, the request's own filter stands.
  const isHere = ({ session_id: id }: { session_id?: string | null }) => !id || projects.has(id)
  switch (op.id) {
    case traces.queryTraceRuns.id: {
      const page = value as TraceRunsPage
      return { ...page, runs: page.runs.filter(isHere) } as T
    }
    case traces.listTraceTree.id: {
      const page = value as TraceRunsPage
      return { ...page, runs: page.runs.filter(({ session_id: id }) => id && projects.has(id)) } as T
    }
    case traces.getTraceRun.id:
      if (!isHere(value as { session_id?: string | null })) throw outside()
      return value
    case traces.listTracingProjects.id:
      return (value as { id: string }[]).filter(({ id }) => projects.has(id)) as T
    default:
      return value
  }
}
