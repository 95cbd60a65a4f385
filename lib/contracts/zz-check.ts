import type { OutputOf, InputOf, WireOf } from '@/lib/contracts/api'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
type S = OutputOf<typeof agentServer.getThreadState>
declare const s: S
const a: string = s.tasks[0]!.state!.tasks[0]!.name
const b: WireOf<typeof agentServer.getThreadState> = { values: {}, next: [], tasks: [{ id: 'a', name: 'b' , path: [], error: null, result: 1}] }
declare const d: OutputOf<typeof controlPlane.getDeployment>
const c: number | null | undefined = d.source_config.resource_spec?.cpu
const st: string = d.status
type Q = InputOf<typeof controlPlane.listDeployments>
const q: Q = { query: { limit: 5, deployment_ids: ['a'] } }
type E1 = OutputOf<typeof controlPlane.deleteDeployment>
const e: E1 = undefined
export { a, b, c, st, q, e }
const bad: Q = { query: { limt: 5 } }
const bad2: number = d.name
