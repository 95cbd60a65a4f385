import 'server-only'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { traces } from '@/lib/contracts/traces'
import type { TracingProject } from '@/lib/contracts/traces/projects'
import type { AnyInput, Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import type { Actor } from '../access/actor'
import type { CallOptions } from './call-context'

const PAGE = 100
const MOST_PROJECTS = 2_000
const PROJECTS_KEPT_MS = 30_000

export type Logger = Pick<Deployment, 'id' | 'name'> & Partial<Pick<Deployment, 'tracing_project_id'>>
/** `callAny`, given by the caller because it reads through this file. */
export type Ask = (op: Operation, input: OperationPlace & AnyInput, options: CallOptions) => Promise<unknown>
type Options = CallOptions & { actor: Actor }

/** Deployment ids by the id of their tracing project: the one in the deployment's record, else the one with its name. */
export async function projectsOf(
  ask: Ask,
  workspace: string,
  deployments: readonly Logger[],
  options: Options,
): Promise<Map<string, string>> {
  const isNamed = deployments.some(({ tracing_project_id: id }) => !id)
  const names = isNamed ? await projectNames(ask, workspace, options) : undefined
  return new Map(
    deployments.flatMap(({ id, name, tracing_project_id: known }): [string, string][] => {
      const project = known ?? names?.get(name)
      return project ? [[project, id]] : []
    }),
  )
}

const kept = new Map<string, { until: number; byName: Promise<Map<string, string>> }>()

function projectNames(ask: Ask, workspace: string, options: Options): Promise<Map<string, string>> {
  const known = kept.get(workspace)
  if (known && Date.now() < known.until) return known.byName
  const byName = readProjectNames(ask, workspace, options)
  kept.set(workspace, { until: Date.now() + PROJECTS_KEPT_MS, byName })
  byName.catch(() => kept.delete(workspace))
  return byName
}

async function readProjectNames(ask: Ask, workspace: string, options: Options) {
  const found = new Map<string, string>()
  for (let offset = 0; offset < MOST_PROJECTS; offset += PAGE) {
    const query = { limit: String(PAGE), offset: String(offset) }
    const page = (await ask(traces.listTracingProjects, { workspace, query }, options)) as TracingProject[]
    for (const { id, name } of page) found.set(name ?? '', id)
    if (page.length < PAGE) break
  }
  return found
}
