import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { mayDeployment } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { resolveAmbiguousWrite } from '../edits/ambiguous-write'
import { call } from '../upstream/call'
import { authorize } from '../upstream/call-context'

export type DeleteRequest = {
  workspace: string
  deploymentId: string
  /** The name that the user typed. It must be the deployment's current name. */
  name: string
  deletesTracingProject: boolean
}

/** Deletes a deployment and looks ambiguous failures up. Throws AppError conflict if `name` is not its current name. */
export async function deleteDeployment(request: DeleteRequest, actor: Actor): Promise<{ note?: string }> {
  const place = { workspace: request.workspace, params: { deployment_id: request.deploymentId } }
  await authorize(controlPlane.deleteDeployment, place, actor)
  const read = () => call(controlPlane.getDeployment, place, { actor }).catch(gone)
  const before = await read()
  if (!before) return { note: 'It was gone already.' }
  if (before.name !== request.name)
    throw new AppError('conflict', 'What was typed is not the name that the deployment has now. Nothing was deleted.')
  if (!mayDeployment('delete', before.status).allowed) return { note: 'It was being deleted already.' }
  return await resolveAmbiguousWrite({
    send: async () => {
      const query = { delete_tracing_project: request.deletesTracingProject }
      await call(controlPlane.deleteDeployment, { ...place, query }, { actor }).catch(gone)
      return {}
    },
    look: async () => {
      const now = await read()
      return !now || now.status === 'AWAITING_DELETE' ? { note: LATE } : undefined
    },
  })
}

const LATE = 'The server answered with a failure, but it is being deleted: it was looked up afterwards.'

function gone(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
}
