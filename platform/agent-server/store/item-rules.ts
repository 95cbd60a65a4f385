import type { Dialect } from '@/lib/contracts/wire/dialect'

/** A request that the store refuses because of `field`. Graph code sees the message. */
export class ItemError extends Error {
  override name = 'ItemError'
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message)
  }
}

/** The runtime reserves this root label. */
const RESERVED: Dialect = 'langgraph'
/** Namespace and key share an index entry, which is limited to 2.7 kB. */
const MAX_PLACE_BYTES = 2000

/** Throws an ItemError. Without a key it validates a prefix, which may be empty. */
export function checkPlace(field: string, namespace: readonly string[], key?: string): void {
  if (key !== undefined && namespace.length === 0) throw new ItemError(field, 'A namespace needs at least one part')
  for (const label of namespace) {
    if (typeof label !== 'string' || label === '')
      throw new ItemError(field, 'Each part of a namespace must be a non-empty string')
    if (/[.\0]/.test(label)) throw new ItemError(field, `The part "${label}" contains a period or a null character`)
  }
  if (namespace[0] === RESERVED) throw new ItemError(field, `The root "${RESERVED}" is reserved`)
  if (key?.includes('\0')) throw new ItemError('key', 'The key contains a null character')
  if (Buffer.byteLength([...namespace, key ?? ''].join('.')) > MAX_PLACE_BYTES)
    throw new ItemError(field, `Namespace and key have more than ${MAX_PLACE_BYTES} bytes`)
}
