import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { mayDeployment } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { safeWrite } from '../edits/safe-write'
import { call } from '../upstream/call'

export type DeleteRequest = {
  workspace: string
  deploymentId: string
  /** The name that the user typed. It must be the deployment's current name. */
  name: string
  deletesTracingProject: boolean
}

/** Deletes a deployment and looks ambiguous failures up. Throws AppError conflict if `name` is not its current name. */
export async function deleteDeployment(
  { key, ...request }: DeleteRequest & { key: string },
  actor: Actor,
): Promise<{ note?: string }> {
  const place = { workspace: request.workspace, params: { deployment_id: request.deploymentId } }
  return await safeWrite<Deployment | undefined, { note?: string }>({
    operation: controlPlane.deleteDeployment,
    place,
    actor,
    idempotency: { key, operation: 'deleteDeployment', input: request },
    read: () => call(controlPlane.getDeployment, place, { actor }).catch(gone),
    check: (before) => {
      if (!before) return { note: 'It was already deleted.' }
      if (before.name !== request.name)
        throw new AppError(
          'conflict',
          'The name does not match the current name of the deployment. Nothing was deleted.',
        )
      return mayDeployment('delete', before.status).allowed ? undefined : { note: 'It was already being deleted.' }
    },
    send: async () => {
      const query = { delete_tracing_project: request.deletesTracingProject }
      await call(controlPlane.deleteDeployment, { ...place, query }, { actor }).catch(gone)
      return {}
    },
    isSame: (now) => !now || now.status === 'AWAITING_DELETE',
    resultOf: () => ({
      note: 'The server reported a failure, but the deployment is being deleted.',
    }),
  })
}

function gone(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
}
