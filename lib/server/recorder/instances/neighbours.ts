import 'server-only'
import { readdirSync } from 'node:fs'
import net, { type Socket } from 'node:net'
import path from 'node:path'
import { log } from '../../process/log'
import { encodeMessage, type Message, MessageReader, type Piece } from './messages'

/** A process that reads slower than this is left to the store. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
const RETRY_MS = 1000

type Log = {
  id: string
  epoch: number
  stored: number
  last: number
  read: (cursor: number, maxBytes: number) => Piece[] | undefined
}

type Hooks = {
  /** The log of what this process records. */
  recorded: (id: string) => Log | undefined
  /** Logs of what others record. */
  followed: () => Iterable<Log>
  onChunk: (news: Extract<Message, { kind: 'chunk' }>) => void
  /** Chunks may have been missed; the store has them. */
  onLost: () => void
}

/**
 * The processes of the same console on this machine. Each listens in a folder that only they can enter, connects to the others,
 * and gets from them the chunks of the recordings that its viewers follow, before the store has them. Without a
 * connection, those come from the store as from any other instance.
 */
export class Neighbours {
  readonly #folder: string
  readonly #instance: number
  readonly #hooks: Hooks
  readonly #server = net.createServer((socket) => this.#accept(socket))
  /** Connections to others, of which this process asks. */
  readonly #asked = new Map<number, Socket>()
  /** Connections from others, which ask, and who that is. */
  readonly #asking = new Map<Socket, number | undefined>()
  /** By recording, who wants it. */
  readonly #wanted = new Map<string, Set<Socket>>()
  readonly #unsent = new Map<Socket, Buffer[]>()
  #isClosed = false

  constructor(
    folder: string,
    instance: number,
    hooks: Hooks,
    private readonly maxUnreadBytes = MAX_UNREAD_BYTES,
  ) {
    this.#folder = folder
    this.#instance = instance
    this.#hooks = hooks
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path.join(this.#folder, String(this.#instance)), resolve)
    })
    this.#server.unref()
    for (const name of readdirSync(this.#folder)) this.#ask(Number(name))
  }

  close(): void {
    this.#isClosed = true
    this.#send()
    for (const socket of [...this.#asked.values(), ...this.#asking.keys()]) socket.destroySoon()
    this.#server.close()
  }

  /** Whether that instance gets from here what it follows, so that it needs no notices. */
  has(instance: number): boolean {
    return [...this.#asking.values()].includes(instance)
  }

  want({ id, last }: Log): void {
    this.#say({ kind: 'want', id, last })
  }

  drop(id: string): void {
    this.#say({ kind: 'drop', id })
  }

  /** Sends a new chunk to all who want it, with others of this turn of the event loop. */
  tell({ id, epoch, stored }: Log, chunk: Piece): void {
    for (const socket of this.#wanted.get(id) ?? []) this.#put(socket, { kind: 'chunk', id, epoch, stored, chunk })
  }

  #say(message: Message): void {
    for (const socket of this.#asked.values()) if (!socket.connecting) this.#put(socket, message)
  }

  #put(socket: Socket, message: Message): void {
    const waiting = this.#unsent.get(socket)
    if (waiting) return void waiting.push(...encodeMessage(message))
    if (this.#unsent.size === 0) setImmediate(() => this.#send())
    this.#unsent.set(socket, encodeMessage(message))
  }

  #send(): void {
    for (const [socket, parts] of this.#unsent) {
      if (socket.writableLength > this.maxUnreadBytes) socket.destroy(new Error('It does not read.'))
      else if (!socket.destroyed) socket.write(Buffer.concat(parts))
    }
    this.#unsent.clear()
  }

  #ask(instance: number): void {
    if (this.#isClosed || instance === this.#instance || this.#asked.has(instance)) return
    const socket = net.connect(path.join(this.#folder, String(instance)))
    this.#asked.set(instance, socket)
    let isOpen = false
    let isGone = false
    socket.unref()
    socket.on('connect', () => {
      isOpen = true
      this.#put(socket, { kind: 'hello', instance: this.#instance })
      for (const { id, last } of this.#hooks.followed()) this.#put(socket, { kind: 'want', id, last })
    })
    this.#read(socket, (message) => {
      if (message.kind === 'chunk') this.#hooks.onChunk(message)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isGone = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' // or it does not listen yet, and asks us then
    })
    socket.on('close', () => {
      this.#asked.delete(instance)
      if (this.#isClosed) return
      if (isOpen) this.#hooks.onLost()
      if (!isGone) setTimeout(() => this.#ask(instance), RETRY_MS).unref()
    })
  }

  #accept(socket: Socket): void {
    this.#asking.set(socket, undefined)
    socket.unref()
    this.#read(socket, (message) => {
      if (message.kind === 'hello') {
        this.#asking.set(socket, message.instance)
        this.#ask(message.instance)
      }
      if (message.kind === 'want') this.#begin(socket, message.id, message.last)
      if (message.kind === 'drop') this.#forget(socket, message.id)
    })
    socket.on('error', (error) => log.info('recorder.neighbour_lost', { error }))
    socket.on('close', () => {
      this.#asking.delete(socket)
      this.#unsent.delete(socket)
      for (const id of this.#wanted.keys()) this.#forget(socket, id)
    })
  }

  #begin(socket: Socket, id: string, last: number): void {
    const wanting = this.#wanted.get(id) ?? new Set()
    this.#wanted.set(id, wanting.add(socket))
    const recorded = this.#hooks.recorded(id)
    if (!recorded) return
    const { epoch, stored } = recorded
    for (let at = last; at < recorded.last; ) {
      // What is no longer in memory is in the store, and an empty chunk after it leads there.
      const held = recorded.read(at, Number.POSITIVE_INFINITY)
      const chunks = held ?? [{ first: recorded.last + 1, last: recorded.last, bytes: Buffer.alloc(0) }]
      for (const chunk of chunks) this.#put(socket, { kind: 'chunk', id, epoch, stored, chunk })
      at = chunks.at(-1)?.last ?? recorded.last
    }
  }

  #forget(socket: Socket, id: string): void {
    const wanting = this.#wanted.get(id)
    if (wanting?.delete(socket) && wanting.size === 0) this.#wanted.delete(id)
  }

  #read(socket: Socket, onMessage: (message: Message) => void): void {
    const reader = new MessageReader()
    socket.on('data', (piece: Buffer) => {
      try {
        for (const message of reader.take(piece)) onMessage(message)
      } catch (error) {
        socket.destroy(error as Error)
      }
    })
  }
}
