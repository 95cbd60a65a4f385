import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import { isRowActive } from '@/lib/contracts/agents/run-row'
import { controlPlane } from '@/lib/contracts/control-plane'
import { isRowMoving } from '@/lib/contracts/deployments/deployment-row'
import type { InputOf } from '@/lib/contracts/wire/api'
import type { Subscription } from '@/lib/contracts/wire/live'
import { isRevisionInProgress } from '@/lib/contracts/wire/state'
import { briefOf } from '@/lib/stream/inbox'
import { systemActor } from '../access/actor'
import { InboxReader } from '../inbox/inbox-reader'
import { onAskAgain } from '../process/answers'
import { recorderHub } from '../recorder/shared-hub'
import { listRecordings } from '../records/recordings'
import { readDeploymentRows } from '../resources/deployment-rows'
import { readRunRows } from '../resources/runs/list'
import { call } from '../upstream/call'
import type { Watched } from './poller'

export type Polled = Exclude<Subscription, { kind: 'recording' | 'logs' }>

// One read serves all viewers with the same limit, so it is made as the system within it. Each viewer's rights are checked
// separately.

/** A thread without its state. */
const LIGHT = ['thread_id', 'created_at', 'updated_at', 'state_updated_at', 'metadata', 'status', 'interrupts']

/** Viewers see what is known by then; the rest follows. */
const INBOX_WITHIN_MS = 1_000

type Revised = { status: string; latest_revision_id?: string | null; active_revision_id?: string | null }
const isRollingOut = ({ status, latest_revision_id: latest, active_revision_id: active }: Revised) =>
  (latest ?? null) !== (active ?? null) || status.startsWith('AWAITING')

/** How a subscription's record or list is read, and when it counts as changing. */
export function watch(wanted: Polled, limit: readonly string[] | null): Watched<unknown> {
  const actor = systemActor('live', limit)
  const { workspace } = wanted
  switch (wanted.kind) {
    case 'deployments':
      return made({
        upstream: 'control plane',
        server: { workspace },
        // An invalid query throws, which refuses the subscription.
        read: (signal) => readDeploymentRows(workspace, wanted.query, { actor, signal }),
        isMoving: ({ rows }) => rows.some(isRowMoving),
      })
    case 'deployment':
      return made({
        upstream: 'control plane',
        server: { workspace },
        read: (signal) =>
          call(
            controlPlane.getDeployment,
            { workspace, params: { deployment_id: wanted.deployment } },
            { actor, signal },
          ),
        isMoving: isRollingOut,
      })
    case 'revisions':
      return made({
        upstream: 'control plane',
        server: { workspace },
        read: (signal) =>
          call(
            controlPlane.listRevisions,
            {
              workspace,
              params: { deployment_id: wanted.deployment },
              query: wanted.query as InputOf<typeof controlPlane.listRevisions>['query'],
            },
            { actor, signal },
          ),
        isMoving: ({ resources }) => resources.some(({ status }) => isRevisionInProgress(status)),
      })
    case 'revision':
      return made({
        upstream: 'control plane',
        server: { workspace },
        read: (signal) =>
          call(
            controlPlane.getRevision,
            { workspace, params: { deployment_id: wanted.deployment, revision_id: wanted.revision } },
            { actor, signal },
          ),
        isMoving: ({ status }) => isRevisionInProgress(status),
      })
    case 'thread':
      return made({
        upstream: 'agent server',
        server: { workspace, deploymentId: wanted.deployment },
        read: async (signal) => {
          const { deployment: deploymentId, thread } = wanted
          // A state can be megabytes, so only the change is sent; pages that show the state read it themselves.
          const body = { ids: [thread], limit: 1, select: LIGHT }
          const [found] = await call(agentServer.searchThreads, { workspace, deploymentId, body }, { actor, signal })
          if (found?.thread_id === thread) return { ...found, values: null }
          // A server that ignores `ids` returns any thread.
          const whole = await call(
            agentServer.getThread,
            { workspace, deploymentId, params: { thread_id: thread } },
            { actor, signal },
          )
          return { ...whole, values: null }
        },
        isMoving: ({ status }) => status === 'busy',
      })
    case 'recordings':
      return made({
        upstream: 'console',
        read: () => listRecordings(actor, { workspace, deploymentId: wanted.deployment }),
        isMoving: ({ items }) => items.some(({ phase }) => phase !== 'ended'),
        onHint: (listener) => recorderHub().onChange(listener),
      })
    case 'runs':
      return made({
        upstream: 'console',
        // An invalid query throws, which refuses the subscription.
        read: () => readRunRows(workspace, wanted.query, actor),
        isMoving: ({ rows, looked }) => looked?.isPending === true || rows.some(isRowActive),
        onHint: (listener) => recorderHub().onChange(listener),
      })
    case 'inbox': {
      const inbox = new InboxReader(workspace, {}, limit)
      return made({
        upstream: 'console',
        lateMs: 15_000,
        read: (signal) => inbox.read(signal, INBOX_WITHIN_MS),
        isMoving: () => inbox.isReading,
        brief: briefOf,
        onHint: (listener) => {
          const forget = [recorderHub().onChange(listener), onAskAgain(workspace, listener)]
          return () => forget.forEach((one) => void one())
        },
      })
    }
  }
}

/** Checks `read` against `isMoving`, and forgets what they agree on. */
const made = <T>(watched: Watched<T>): Watched<unknown> => watched as Watched<unknown>
