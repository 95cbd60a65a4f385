import { isRecord } from '@/lib/json/guards'
import { addChunk, createMessage, type Origin, type RunMessage, replaceMessage, restartMessage } from './messages'
import { jsonOf, readMessage, type Usage, type WireMessage } from './wire/wire-message'

/**
 * All messages of a run, from the stream in chunks and from states as a whole. A state decides which messages there are
 * and in which order; the stream comes first, and only it knows their origin and what never reached the root state.
 */
export class Transcript {
  usage: Usage = { input: 0, output: 0, total: 0 }
  /** Changes when messages are added, removed or moved; a message has its own `version` for its content. */
  version = 0
  readonly #byKey = new Map<string, RunMessage>()
  #streamed: RunMessage[] = []
  #state: RunMessage[] = []
  #ordered: RunMessage[] | undefined
  #unnamed = new Map<string, RunMessage>()

  /**
   * In the state's order, with messages that only the stream had in order of time. Constant time if nothing was added.
   */
  get messages(): readonly RunMessage[] {
    this.#ordered ??= this.#order()
    return this.#ordered
  }

  byKey(key: string): RunMessage | undefined {
    return this.#byKey.get(key)
  }

  /** A message or a chunk of one from the stream. `how` says which, if the message itself does not. */
  stream(wire: WireMessage, from: Origin, how: 'chunk' | 'replace' | 'complete' = wire.isChunk ? 'chunk' : 'complete') {
    if (wire.role === 'remove') return this.#remove(wire.id)
    const message = this.#find(wire, from)
    const before = message.usage
    if (how === 'chunk') {
      if (message.attempt < from.attempt) restartMessage(message, from.attempt)
      addChunk(message, wire)
    } else {
      replaceMessage(message, wire)
      message.isComplete = how === 'complete'
    }
    message.lastSeq = from.seq
    message.lastAt = from.at
    this.#count(before, message.usage)
    return message
  }

  /** Sets a message's node, which the older `messages/metadata` events send separately. */
  place(id: string, node: string | undefined): void {
    const message = this.#byKey.get(id)
    if (message) message.node ??= node
  }

  /**
   * Applies a state's messages, which are complete and in order. Messages of the previous state that are missing here
   * were removed.
   */
  reconcile(values: unknown, from: Origin, isFinal: boolean): void {
    const wires = messagesOf(values)
    if (!wires) return
    const taken = new Set(wires.flatMap(({ id }) => (id ? (this.#byKey.get(id) ?? []) : [])))
    this.#state = wires.map((wire, position) => {
      const known = (wire.id ? this.#byKey.get(wire.id) : undefined) ?? this.#twin(wire, taken)
      const message = known ?? createMessage(wire.id ?? `state:${position}`, wire, { ...from, seq: 0 })
      const before = known?.usage
      // An older state may arrive while a message is still streaming; only the final state overrules the stream.
      if (!known || known.isComplete || isFinal) {
        replaceMessage(message, wire)
        if (known) this.#count(before, message.usage)
      }
      message.isRemoved = false
      taken.add(message)
      this.#byKey.set(wire.id ?? message.key, message)
      return message
    })
    if (isFinal) {
      const kept = new Set(this.#state)
      // Root messages that are not in the final state were abandoned by a retry or removed; subgraphs keep their own.
      for (const message of this.#streamed) {
        if (!kept.has(message) && message.namespace.length === 0 && message.attempt < from.attempt)
          message.isRemoved = true
        message.isComplete = true
      }
    }
    this.#changed()
  }

  #find(wire: WireMessage, from: Origin): RunMessage {
    // Without message ids, chunks from one node belong together, and a complete message stands alone.
    const source = `${from.node ?? ''}|${from.namespace.map(({ task }) => task).join('|')}`
    const known = wire.id ? this.#byKey.get(wire.id) : wire.isChunk ? this.#unnamed.get(source) : undefined
    if (known && !(wire.id === undefined && known.isComplete)) {
      known.node ??= from.node
      if (known.firstSeq === 0) {
        known.firstSeq = from.seq
        known.firstAt = from.at
      }
      return known
    }
    const message = createMessage(wire.id ?? `stream:${from.seq}:${this.#streamed.length}`, wire, from)
    this.#byKey.set(message.key, message)
    this.#streamed.push(message)
    if (wire.id === undefined && wire.isChunk) this.#unnamed.set(source, message)
    else if (wire.id === undefined) this.#unnamed.delete(source)
    // Usually a message is added at the end, which needs no sorting.
    if (this.#ordered) this.#ordered.push(message)
    this.version++
    return message
  }

  /**
   * The streamed message that a state has under another id: messages without an id get one for the stream and another
   * in the state. Tool results are matched by their call, others by their content.
   */
  #twin(wire: WireMessage, taken: ReadonlySet<RunMessage>): RunMessage | undefined {
    const content = contentKey(wire.role, wire.parts)
    return this.#streamed.find((one) => {
      if (one.role !== wire.role || taken.has(one)) return false
      return wire.toolCallId ? one.toolCallId === wire.toolCallId : contentKey(one.role, one.parts) === content
    })
  }

  #remove(id: string | undefined): undefined {
    const message = id ? this.#byKey.get(id) : undefined
    if (message) message.isRemoved = true
    else if (id === '__remove_all__') for (const one of this.#byKey.values()) one.isRemoved = true
    this.version++
  }

  #count(before: Usage | undefined, after: Usage | undefined): void {
    if (before === after) return
    const of = (key: keyof Usage) => this.usage[key] - (before?.[key] ?? 0) + (after?.[key] ?? 0)
    this.usage = { input: of('input'), output: of('output'), total: of('total') }
  }

  #changed(): void {
    this.#ordered = undefined
    this.version++
  }

  #order(): RunMessage[] {
    const inState = new Set(this.#state)
    const rest = this.#streamed.filter((message) => !inState.has(message))
    const ordered: RunMessage[] = []
    let next = 0
    for (const message of this.#state) {
      for (; message.firstSeq > 0 && (rest[next]?.firstSeq ?? Infinity) < message.firstSeq; next++)
        ordered.push(rest[next] as RunMessage) // the condition above ensures it
      ordered.push(message)
    }
    return ordered.concat(rest.slice(next))
  }
}

const contentKey = (role: string, parts: WireMessage['parts']) =>
  `${role}:${parts.map((part) => (part.kind === 'block' ? jsonOf(part.block) : part.text)).join('')}`

/** The message list of a state; undefined if it has none. */
function messagesOf(values: unknown): WireMessage[] | undefined {
  const list = Array.isArray(values) ? values : isRecord(values) ? values.messages : undefined
  if (!Array.isArray(list)) return undefined
  const wires = list.map(readMessage)
  return wires.every((wire) => wire !== undefined) ? wires : undefined
}
