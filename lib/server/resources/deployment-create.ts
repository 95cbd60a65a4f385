import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { type Deployment, DeploymentCreate } from '@/lib/contracts/deployments/deployments'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import type { Actor } from '../access/actor'
import { fingerprintOf } from '../edits/fingerprints'
import { safeWrite } from '../edits/safe-write'
import { withoutSecretValues } from '../edits/secret-values'
import { parseInput } from '../process/result'
import { call } from '../upstream/call'

type CreateOptions = { actor: Actor; timeoutMs?: number }
export type CreateRequest = {
  workspace: string
  /** The idempotency key, created once per form: a repeat gets the first deployment. */
  key: string
  /** The body of the operation, not checked yet. It holds secret values. */
  body: unknown
}

/** The new deployment, its first revision if the server names one, and an optional note for the user. */
export type CreatedDeployment = { deployment: string; revision: string | null; note?: string }

/**
 * Creates a deployment, never two with one name: a lock across all instances covers the name, which is looked up before the
 * write and after an ambiguous failure. Throws AppError, `invalid` at the field `name` if it is taken.
 */
export async function createDeployment(
  { workspace, key, body: given }: CreateRequest,
  options: CreateOptions,
): Promise<CreatedDeployment> {
  const { actor } = options
  const name = isRecord(given) ? String(given.name) : ''
  const body = () => parseInput(DeploymentCreate, given)
  return await safeWrite<Deployment | undefined, CreatedDeployment>({
    operation: controlPlane.createDeployment,
    place: { workspace, body: given },
    actor,
    assertValid: body,
    // Only a keyed digest of the request is stored, because it contains secret values.
    idempotency: { key, operation: 'createDeployment', input: { workspace, body: fingerprintOf(workspace, given) } },
    lock: ['new deployment', workspace, name],
    read: () => findNamed(workspace, name, options).catch(unknownName),
    check: (taken) => {
      if (taken) throw nameTaken()
      return undefined
    },
    send: async () => {
      const made = await call(controlPlane.createDeployment, { workspace, body: body() }, options).catch(
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error
          const masked = withoutSecretValues(error, body().secrets ?? [])
          throw masked.view.upstreamStatus === 409 ? nameTaken() : masked
        },
      )
      return createdOf(made)
    },
    isSame: (now) => now !== undefined,
    resultOf: (now, note) => ({ ...createdOf(now as Deployment), note }), // after `isSame`
  })
}

function unknownName(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  const { code, message, ...view } = error.view
  throw new AppError(code, `${message} It is unknown whether a deployment with this name exists. Nothing was sent.`, {
    ...view,
    cause: error,
  })
}

const createdOf = ({ id, latest_revision_id: revision }: Deployment): CreatedDeployment => ({
  deployment: id,
  revision: revision ?? null,
})

const nameTaken = () =>
  new AppError('invalid', 'A deployment with this name already exists. Nothing was created.', {
    fields: [{ path: ['name'], message: 'A deployment with this name already exists' }],
  })

/** Servers support one or both of the filters, so the exact match is made here. */
async function findNamed(workspace: string, name: string, options: CreateOptions): Promise<Deployment | undefined> {
  const query = { name, name_contains: name, limit: 100 }
  const { resources } = await call(controlPlane.listDeployments, { workspace, query }, options)
  return resources.find((one) => one.name === name)
}
