import { AUTH_KEY, fromWire, inBothDialects } from '@/lib/contracts/wire/dialect'
import { toText } from '../kernel/numbers'

/** The wire form of the runtime's objects: flat messages, everything else as JSON. */

/** Messages of the first versions of `@langchain/core` 0.3 have only the second. */
type Typed = { getType?: () => string; _getType?: () => string }
type MessageLike = { toDict(): { type: string; data: Record<string, unknown> } }

// Detects messages by shape, not class: a graph may bring its own copy of the library.
const isMessage = (value: object): value is MessageLike =>
  'toDict' in value && typeof value.toDict === 'function' && messageType(value) !== undefined

/** The type of a message of any version of the library; undefined for anything else. */
export function messageType(value: object): string | undefined {
  const typed = value as Typed // by shape, as above
  if (typeof typed.getType === 'function') return typed.getType()
  return typeof typed._getType === 'function' ? typed._getType() : undefined
}

const flatten = (message: MessageLike): Record<string, unknown> => {
  const { type, data } = message.toDict()
  // A state schema that copies objects field by field turns the class's own fields into message fields.
  const fields = Object.entries(data).filter(([key]) => !key.startsWith('lc_'))
  // The type comes last, so that no other field can override it.
  return { ...Object.fromEntries(fields), type }
}

/** Deeper than any state that could be stored; a circular object is deeper than that. */
const MAX_DEPTH = 1000

/**
 * The value with messages flattened; copies only containers of messages, because a state may be megabytes. Throws for
 * circular values.
 */
export function toPlain(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) throw new Error('The data is circular or nested too deeply to be written as JSON.')
  if (isMessage(value)) return toPlain(flatten(value), depth + 1)
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined
    for (let index = 0; index < value.length; index++) {
      const plain = toPlain(value[index], depth + 1)
      if (copy) copy.push(plain)
      else if (plain !== value[index]) copy = [...value.slice(0, index), plain]
    }
    return copy ?? value
  }
  if (value instanceof Error) return { error: value.name, message: value.message }
  if (value instanceof Map) return toPlain(Object.fromEntries(value), depth + 1)
  if (value instanceof Set) return toPlain([...value], depth + 1)
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  let copy: Record<string, unknown> | undefined
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key]
    const plain = toPlain(item, depth + 1)
    if (plain === item) continue
    copy ??= { ...value }
    copy[key] = plain
  }
  return copy ?? value
}

/** One line of JSON; nothing at all is `null`. */
export const encode = (value: unknown): string => JSON.stringify(toPlain(value)) ?? 'null'

/** For events: marks values that cannot be serialized, because that must not fail a run that may have no reader. */
export const encodeEventData = (value: unknown): string => orNotice(() => encode(value))

/** The same for values from a request, whose numbers may exceed doubles. */
export const encodeRecord = (value: unknown): string => orNotice(() => toText(toPlain(value)))

function orNotice(write: () => string): string {
  try {
    return write()
  } catch (error) {
    return JSON.stringify({ __unserializable__: (error as Error).message })
  }
}

/** The runtime's metadata on messages, tasks and checkpoints, under our key names. */
export const metadataOut = (metadata: unknown): Record<string, unknown> | undefined =>
  metadata === undefined || metadata === null
    ? undefined
    : (fromWire(withoutCaller(metadata)) as Record<string, unknown>)

/** The same for streams, which are read by clients of either spelling. */
export const streamMetadataOut = (metadata: unknown): object | undefined =>
  metadata === undefined || metadata === null ? undefined : inBothDialects(withoutCaller(metadata))

const withoutCaller = (metadata: object): object =>
  Object.keys(metadata).some((key) => AUTH_KEY.test(key))
    ? Object.fromEntries(Object.entries(metadata).filter(([key]) => !AUTH_KEY.test(key)))
    : metadata
