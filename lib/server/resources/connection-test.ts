import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import { defectsOf, type ServerDefect } from '@/lib/contracts/agents/server-defects'
import type { Info } from '@/lib/contracts/agents/system'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentsList } from '@/lib/contracts/deployments/deployments'
import type { AnyInput, Operation } from '@/lib/contracts/wire/api'
import type { Dialect } from '@/lib/contracts/wire/dialect'
import { AppError } from '@/lib/errors'
import type { Workspace } from '../access/workspaces'
import { controlPlaneDestination, type Destination, directDestination } from '../upstream/destination'
import { exchange, prepare } from '../upstream/exchange'
import { dialectOf } from '../upstream/learned-dialect'

/** The parts of a workspace that reach its control plane, saved or not. */
export type Draft = Pick<Workspace, 'baseUrl' | 'auth' | 'dialect'>
export type ControlPlaneFound = { hasDeployments: boolean; dialect: Dialect }
export type AgentServerFound = { version: string | null; runtime: string | null; defects: ServerDefect[] }

const TIMEOUT_MS = 10_000
/** Responses of servers that are something other than what was asked for. */
const ELSEWHERE: readonly AppError['code'][] = ['not_found', 'unsupported', 'upstream_shape']

const blank = (draft: Draft): Workspace => ({
  ...draft,
  slug: '',
  name: '',
  kind: 'control-plane',
  allowedOrigins: [],
  secretNames: 'admins',
  source: 'console',
})

async function ask(op: Operation, to: Destination, workspace: Workspace, requestId: string, input: AnyInput = {}) {
  const options = { workspace, requestId, timeoutMs: TIMEOUT_MS }
  try {
    return (await exchange(op, to, prepare(op, input), options)).value
  } catch (error) {
    if (!(error instanceof AppError) || !ELSEWHERE.includes(error.code)) throw error
    const { code, message, ...more } = error.view
    throw new AppError(
      code,
      `${message} Check that this is the address of the ${to.what}: it must serve ${op.method} ${op.path} below it.`,
      more,
    )
  }
}

/**
 * Lists one deployment with the draft's keys; callers must check the role first. Throws AppError that says what to
 * change.
 */
export async function askControlPlane(draft: Draft, requestId: string): Promise<ControlPlaneFound> {
  const workspace = blank(draft)
  const to = controlPlaneDestination(workspace)
  const found = await ask(controlPlane.listDeployments, to, workspace, requestId, { query: { limit: 1 } })
  return { hasDeployments: (found as DeploymentsList).resources.length > 0, dialect: dialectOf(workspace) }
}

/** Reads an agent server's version, or its assistants where it has no `/info`. Throws AppError with what to change. */
export async function askAgentServer(
  server: { url: string; apiKey?: string },
  requestId: string,
): Promise<AgentServerFound> {
  const workspace = blank({ baseUrl: null, auth: {}, dialect: 'auto' })
  const to = directDestination({ ...server, id: '', name: '', createdAt: '' })
  const search = () => ask(agentServer.searchAssistants, to, workspace, requestId, { body: { limit: 1 } })
  const info = await ask(agentServer.getInfo, to, workspace, requestId).catch((error: unknown) => {
    if (error instanceof AppError && ELSEWHERE.includes(error.code)) return search().then(() => null)
    throw error
  })
  if (info === null) return { version: null, runtime: null, defects: [] }
  // `/info` may be open to everyone, so it does not show that the key is accepted.
  await search()
  const { version, graph_js_version: js, graph_py_version: py, context } = info as Info
  return {
    version: version ?? null,
    runtime: js || context === 'js' ? 'JavaScript' : py || context === 'python' ? 'Python' : null,
    defects: defectsOf(info as Info),
  }
}
