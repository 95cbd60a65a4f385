import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import { isRecord } from '@/lib/json/guards'
import { CLOSING_MS, closeSocket, statusCode } from '../../kernel/web-socket'
import { HttpError } from '../kernel/errors'
import { type Ask, detailOf, SocketFeed } from './socket-feed'

type Id = string | number

/** Unsent bytes beyond which a slow reader gets no more. */
const BACKLOG = 1_000_000
/** Close code for an error of the server, after which the client connects again. */
const FAILED = 1011

/**
 * One thread in protocol 2 over a WebSocket. Commands and events are HTTP requests of the same protocol, so rights, limits
 * and contents are the same.
 */
export class ThreadSocket {
  readonly #feed: SocketFeed
  readonly #left = new AbortController()
  #turn: Promise<unknown> = Promise.resolve()
  #pending = 0
  #isAlive = true

  constructor(
    private readonly socket: WebSocket,
    private readonly ask: Ask,
    private readonly logError: (line: string) => void,
  ) {
    this.#feed = new SocketFeed(ask, {
      send: (text) => this.#send(text),
      refuse: (status, detail) => this.close(statusCode(status), detail),
      fail: (error) => this.#fail(error),
    })
    socket
      .on('message', (data) => this.#receive(data))
      .on('pong', () => this.#see())
      // Such as a message that is too large, which the library answers with a close code.
      .on('error', () => setTimeout(() => socket.terminate(), CLOSING_MS).unref())
      .once('close', () => {
        this.#left.abort()
        this.#feed.close()
      })
  }

  /** Cuts the connection if nothing came or went since the last call. */
  ping(): void {
    if (this.#isAlive) this.socket.ping()
    else this.socket.terminate()
    this.#isAlive = false
  }

  close(code: number, reason: string): void {
    this.#feed.close()
    closeSocket(this.socket, code, reason)
  }

  readonly #see = (error?: Error | null) => {
    if (!error) this.#isAlive = true
  }

  /** One message after the other; no more are read until they are answered. */
  #receive(data: RawData): void {
    this.#see()
    this.#pending += 1
    this.socket.pause()
    this.#turn = this.#turn
      .then(() => this.#answer(String(data)))
      .catch((error: Error) => this.#fail(error))
      .finally(() => {
        this.#pending -= 1
        if (this.#pending === 0) this.socket.resume()
      })
  }

  async #answer(text: string): Promise<void> {
    const command = parse(text)
    if (!isRecord(command)) return this.#refuse(null, 'invalid_argument', 'A command is a JSON object.')
    const { id, method, params } = command
    if (!isId(id) || typeof method !== 'string')
      return this.#refuse(isId(id) ? id : null, 'invalid_argument', 'A command needs an id and a method.')
    switch (method) {
      case 'subscription.subscribe':
        return this.#subscribe(id, params)
      case 'subscription.unsubscribe': {
        const { subscription_id } = isRecord(params) ? params : {}
        if (this.#feed.remove(subscription_id)) return this.#send(JSON.stringify({ type: 'success', id, result: {} }))
        return this.#refuse(id, 'no_such_subscription', `There is no subscription ${subscription_id}.`)
      }
      case 'subscription.reconnect':
        return this.#refuse(id, 'not_supported', 'Subscribe again, with the last number as since.')
      default: {
        const response = await this.ask('commands', text, this.#left.signal)
        if (!response.ok) return this.#pass(id, response)
        await this.#send(await response.text())
        // It may have created the thread.
        this.#feed.look()
      }
    }
  }

  /** Clients drop events that arrive before the subscription's id. */
  #subscribe(id: Id, params: unknown): Promise<void> {
    try {
      const result = { subscription_id: this.#feed.add(params ?? {}) }
      return this.#send(JSON.stringify({ type: 'success', id, result }))
    } catch (error) {
      return this.#refuse(id, 'invalid_argument', reasonOf(error))
    }
  }

  /** Tells the refusal of a command; a caller that is no longer known is disconnected. */
  async #pass(id: Id, response: Response): Promise<void> {
    const detail = await detailOf(response)
    if (response.status === 401) return this.close(statusCode(401), detail)
    const code = response.status === 403 ? 'permission_denied' : 'invalid_argument'
    return this.#refuse(id, response.status >= 500 ? 'unknown_error' : code, detail)
  }

  #fail(error: Error): void {
    if (this.#left.signal.aborted || this.socket.readyState !== this.socket.OPEN) return
    this.logError(`A WebSocket failed: ${error.stack}`)
    void this.#refuse(null, 'unknown_error', 'The server failed.')
    this.close(FAILED, 'The server failed.')
  }

  #refuse(id: Id | null, error: string, message: string): Promise<void> {
    return this.#send(JSON.stringify({ type: 'error', id, error, message }))
  }

  /** Resolves when more may be sent. */
  #send(text: string): Promise<void> {
    const { socket } = this
    return new Promise((resolve) => {
      const isSlow = socket.bufferedAmount > BACKLOG
      socket.send(text, (error) => {
        this.#see(error)
        if (isSlow) resolve()
      })
      if (!isSlow) resolve()
    })
  }
}

const isId = (id: unknown): id is Id => typeof id === 'number' || typeof id === 'string'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Why a subscription is refused. Throws what is not its fault. */
function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  if (error instanceof HttpError)
    return typeof error.detail === 'string' ? error.detail : error.detail.map(({ msg }) => msg).join('; ')
  if (error instanceof RangeError) return error.message
  throw error
}
