import { isRecord } from '@/lib/json/guards'
import { type Conditions, conditionsOf } from '../kernel/conditions'
import { HttpError } from '../kernel/errors'

type Json = Record<string, unknown>

/** Who sent a request, as the deployment's own code says; fields beyond these are its own. */
export type User = Json & {
  identity: string
  display_name: string
  is_authenticated: boolean
  permissions: string[]
}

type Resource = 'threads' | 'assistants' | 'crons'
export type AuthEvent =
  | `${Resource}:${'create' | 'read' | 'update' | 'delete' | 'search'}`
  | 'threads:create_run'
  | `store:${'put' | 'get' | 'search' | 'list_namespaces' | 'delete'}`

export type Callbacks = Record<string, ((request: Json) => unknown) | undefined>

/** A user with the rights that the deployment's handlers grant. */
export class Caller {
  constructor(
    readonly user: User,
    private readonly callbacks: Callbacks,
  ) {}

  /**
   * Asks the most specific handler. It may change `value`. Returns the conditions that records have to meet; undefined if
   * there are none. Throws the handler's refusal.
   */
  async ask(event: AuthEvent, value: Json): Promise<Conditions> {
    const [resource = '', action = ''] = event.split(':')
    const name = [event, resource, `*:${action}`, '*'].find((one) => this.callbacks[one])
    const handle = name === undefined ? undefined : this.callbacks[name]
    if (!handle) return undefined
    const { user } = this
    const result = await refusing(() => handle({ event, resource, action, value, permissions: user.permissions, user }))
    if (result === undefined || result === null || result === true) return undefined
    if (result === false) throw new HttpError(403, 'Forbidden')
    if (!isRecord(result))
      throw new Error(
        `The auth handler for ${name} returned ${typeof result}; expected a filter, a boolean or nothing.`,
      )
    return conditionsOf(result)
  }
}

/** Runs a handler; what it throws with a status is the response. Everything else is a failure of the server. */
export async function refusing(work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    const { status, message, headers } = error as { status?: unknown; message?: string; headers?: HeadersInit }
    if (error instanceof HttpError || typeof status !== 'number' || status < 400 || status > 599) throw error
    throw new HttpError(status, message || 'Refused', Object.fromEntries(new Headers(headers)))
  }
}
