import 'server-only'
import type { AnyInput, Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import type { Actor } from '../access/actor'
import { authorize } from '../upstream/call-context'
import { resolveAmbiguousWrite } from './ambiguous-write'
import { withIdempotencyKey } from './idempotency'
import { type LockKey, withEditLock } from './lock'

const LATE = 'The server reported a failure, but the change was made.'

/** The form's idempotency key: a repeat gets the first result. `input` tells two requests with one key apart. */
export type Idempotency = { key: string; operation: string; input: unknown }

type Guards = {
  operation: Operation
  /** Where the operation is sent. The role is checked there first, so that users without it neither wait nor learn anything. */
  place: OperationPlace & AnyInput
  actor: Actor
  idempotency?: Idempotency
  /** Refuses input that must not be sent. Throws AppError. */
  assertValid?: () => void
  /** Writes with the same key run one at a time, across all instances. */
  lock?: LockKey
}

type Write<State, Result> = Guards & {
  read: () => Promise<State>
  /**
   * Looks at the state just before sending. A result ends the write: nothing to do, or a conflict.
   * @throws AppError
   */
  check: (before: State) => Result | undefined
  send: (before: State) => Promise<Result>
  /** Whether the change is there, after an ambiguous failure. */
  isSame: (now: State, before: State) => boolean | Promise<boolean>
  /** The result if it is. `note` says that it was looked up. */
  resultOf: (now: State, note: string, before: State) => Result
}

/**
 * The one way to change something upstream: checks the role and the input, runs once per form, locks, compares with what the
 * user saw, sends, and looks up what became of it after an ambiguous failure. Throws AppError; its message says what was found.
 */
export async function safeWrite<State, Result>(write: Write<State, Result>): Promise<Result> {
  const { read, check, send, isSame, resultOf } = write
  return await guarded(write, async () => {
    const before = await read()
    const early = check(before)
    if (early !== undefined) return early
    return await resolveAmbiguousWrite({
      send: () => send(before),
      read,
      isSame: (now) => isSame(now, before),
      resultOf: (now) => resultOf(now, LATE, before),
    })
  })
}

type Creation<Made, Result> = Guards & {
  /** The new thing; undefined if it is not there. */
  read: () => Promise<Made | undefined>
  send: () => Promise<Result>
  resultOf: (made: Made, note: string) => Result
}

/** Creates something under an id derived from the form's key, which needs no look before. Otherwise like `safeWrite`. */
export async function safeCreate<Made, Result>(creation: Creation<Made, Result>): Promise<Result> {
  const { read, send, resultOf } = creation
  return await guarded(creation, () =>
    resolveAmbiguousWrite({
      send,
      read,
      isSame: (made) => made !== undefined,
      resultOf: (made) => resultOf(made as Made, LATE), // after `isSame`
    }),
  )
}

/** The first half of every write: checks the role and the input, runs once per form, and locks. */
export async function guarded<Result>(
  { operation, place, actor, assertValid, idempotency, lock }: Guards,
  work: () => Promise<Result>,
): Promise<Result> {
  await authorize(operation, place, actor)
  assertValid?.()
  const alone = () => (lock ? withEditLock(lock, work) : work())
  return idempotency ? await withIdempotencyKey({ actor, ...idempotency }, alone) : await alone()
}
