import 'server-only'

/** Entries of a recording, as `EntryPrinter` prints them. */
export type Piece = { first: number; last: number; bytes: Buffer }

/** What the processes of one machine say to each other about recordings. */
export type Message =
  | { kind: 'hello'; instance: number }
  /** Send what is recorded after entry `last`, and all that follows. */
  | { kind: 'want'; id: string; last: number }
  | { kind: 'drop'; id: string }
  /** `stored`: the last entry that the store is known to have. */
  | { kind: 'chunk'; id: string; epoch: number; stored: number; chunk: Piece }

const KINDS = ['hello', 'want', 'drop', 'chunk'] as const
const ID = 36
const WORD = 4
/** Length of all that follows, then the kind. */
const HEAD = WORD + 1

/** A message in parts; a chunk's bytes are not copied. */
export function encodeMessage(message: Message): Buffer[] {
  switch (message.kind) {
    case 'hello':
      return [encoded(0, '', [message.instance])]
    case 'want':
      return [encoded(1, message.id, [message.last])]
    case 'drop':
      return [encoded(2, message.id, [])]
    case 'chunk': {
      const { id, epoch, stored, chunk } = message
      return [encoded(3, id, [epoch, stored, chunk.first, chunk.last], chunk.bytes.length), chunk.bytes]
    }
  }
}

function encoded(kind: number, id: string, numbers: number[], more = 0): Buffer {
  const head = Buffer.allocUnsafe(HEAD + id.length + numbers.length * WORD)
  head.writeUInt32BE(head.length - WORD + more, 0)
  head[WORD] = kind
  head.write(id, HEAD, 'latin1')
  for (const [index, number] of numbers.entries()) head.writeUInt32BE(number, HEAD + id.length + index * WORD)
  return head
}

/** Reads messages from the pieces of a stream. Throws for what is none. */
export class MessageReader {
  #parts: Buffer[] = []
  #size = 0
  /** Bytes until the next message is whole. */
  #needed = HEAD

  take(piece: Buffer): Message[] {
    this.#parts.push(piece)
    this.#size += piece.length
    if (this.#size < this.#needed) return []
    const bytes = this.#parts.length === 1 ? piece : Buffer.concat(this.#parts)
    const messages: Message[] = []
    let at = 0
    this.#needed = HEAD
    while (bytes.length - at >= HEAD) {
      const size = WORD + bytes.readUInt32BE(at)
      this.#needed = size
      if (bytes.length - at < size) break
      messages.push(decoded(bytes.subarray(at + WORD, at + size)))
      at += size
      this.#needed = HEAD
    }
    this.#parts = at < bytes.length ? [bytes.subarray(at)] : []
    this.#size = bytes.length - at
    return messages
  }
}

function decoded(bytes: Buffer): Message {
  const kind = KINDS[bytes[0] ?? KINDS.length]
  const id = () => bytes.toString('latin1', 1, 1 + ID)
  const number = (index: number) => bytes.readUInt32BE(1 + ID + index * WORD)
  switch (kind) {
    case 'hello':
      return { kind, instance: bytes.readUInt32BE(1) }
    case 'want':
      return { kind, id: id(), last: number(0) }
    case 'drop':
      return { kind, id: id() }
    case 'chunk':
      return {
        ...{ kind, id: id(), epoch: number(0), stored: number(1) },
        chunk: { first: number(2), last: number(3), bytes: bytes.subarray(1 + ID + 4 * WORD) },
      }
    default:
      throw new Error('Another process of this console sent something unknown.')
  }
}
