import { CONSOLE_SCHEME, CONSOLE_USER } from '@/lib/contracts/wire/dialect'
import { isRecord } from '@/lib/json/guards'
import { loadExport, placeOf } from '../assistants/load-export'
import { type Callbacks, Caller, refusing, type User } from './caller'

type Json = Record<string, unknown>
type Handlers = { authenticate?: (request: Request) => unknown; callbacks?: Callbacks }
/** The key under which the SDK's `Auth` keeps the handlers. */
const HANDLERS = '~handlerCache'

const OPERATOR: User = {
  ...CONSOLE_USER,
  display_name: CONSOLE_USER.identity,
  is_authenticated: true,
  permissions: [],
}

/** The deployment's own authentication and authorization: the `auth` of the graph configuration file. */
export class Auth {
  private constructor(
    private readonly handlers: Handlers & { authenticate: NonNullable<Handlers['authenticate']> },
    private readonly allowsConsole: boolean,
  ) {}

  /** Rejects if the export is unusable. */
  static async load(place: string, folder: string, allowsConsole: boolean): Promise<Auth> {
    const { file, exportName } = placeOf(place, folder)
    const found = await loadExport(file, exportName)
    const handlers = (found as { [HANDLERS]?: Handlers })[HANDLERS]
    if (!isRecord(handlers)) throw new Error(`The export "${exportName}" is not an Auth object.`)
    const { authenticate } = handlers
    if (!authenticate)
      throw new Error(`The export "${exportName}" has no authenticate handler, so it protects nothing.`)
    return new Auth({ ...handlers, authenticate }, allowsConsole)
  }

  /** `isOperator`: whether the request carries the platform's key. Throws the handler's refusal. */
  async authenticate(request: Request, isOperator: boolean): Promise<Caller> {
    const { authenticate, callbacks = {} } = this.handlers
    if (isOperator && this.allowsConsole && request.headers.get(CONSOLE_SCHEME.header) === CONSOLE_SCHEME.value)
      return new Caller(OPERATOR, callbacks)
    // A copy without its body: the handler must not use up what the operation reads.
    const copy = new Request(request.url, { method: request.method, headers: request.headers })
    return new Caller(userOf(await refusing(() => authenticate(copy))), callbacks)
  }
}

function userOf(given: unknown): User {
  const fields: Json | undefined = typeof given === 'string' ? { identity: given } : isRecord(given) ? given : undefined
  if (typeof fields?.identity !== 'string')
    throw new Error('The authenticate handler returned neither a text nor an object with an identity.')
  const { identity, display_name, is_authenticated, permissions } = fields
  return {
    ...fields,
    identity,
    display_name: typeof display_name === 'string' ? display_name : identity,
    is_authenticated: typeof is_authenticated === 'boolean' ? is_authenticated : true,
    permissions: Array.isArray(permissions) ? permissions : [],
  }
}
