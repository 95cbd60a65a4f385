import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { listOf } from '@/lib/traces/blocks/values'
import { IntakeRequest } from './intake-request'
import { boundaryOf, MalformedBody, MultipartReader } from './multipart'
import { decodeRequest } from './otlp/messages'
import { runOfSpan } from './otlp/run'
import { readSpans } from './otlp/spans'
import { keepOwn } from './own-traces'
import { DEFAULT_PROJECT, type RunStore } from './run-store'
import { linkSpans } from './span-links'

/** A response to the tracing SDK. `detail` is text, or a list of errors with their locations. */
export type IntakeResponse = {
  status: 202 | 400 | 404 | 413 | 415 | 422 | 429
  body: { detail?: unknown; message?: string }
  retryAfterS?: number
}

export type IntakeLimits = {
  /** Uncompressed bytes of one request. SDKs respect `size_limit_bytes` of `/info`, but exceed it for a single large run. */
  maxBytes: number
  /** Concurrent requests; further ones are told to retry. */
  maxActive: number
  /** Bytes of all requests in progress. */
  maxActiveBytes: number
}
export const INTAKE_LIMITS: IntakeLimits = { maxBytes: 100_000_000, maxActive: 16, maxActiveBytes: 250_000_000 }
/** The limits that `/info` reports to SDKs. */
export const SIZE_LIMIT = 100
export const SIZE_LIMIT_BYTES = 20_971_520
const RETRY_AFTER_S = 1

type Zstd = {
  createZstdDecompress?: (options: { params: Record<number, number> }) => Transform
  constants: { ZSTD_d_windowLogMax: number }
}
// Node.js 20 has no zstd, and neither have its types.
const { createZstdDecompress, constants } = zlib as unknown as Zstd
/** The largest window that zstd may use over HTTP (RFC 9659). Each body being read takes as much memory. */
const ZSTD_WINDOW_LOG = 23
/** By content encoding. */
const UNPACKERS = new Map<string, () => Transform>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
])
if (createZstdDecompress)
  UNPACKERS.set('zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }))
export const READS_ZSTD = UNPACKERS.has('zstd')

const encodingOf = (request: IncomingMessage): string =>
  request.headers['content-encoding']?.toLowerCase() ?? 'identity'

class TooLarge extends Error {}

type Read = (pieces: IntakeRequest) => Promise<void>
/** `isJson`: the exporter sent JSON, and reads its answer as JSON. */
export type SpansResponse = IntakeResponse & { isJson: boolean; rejected: number }

/**
 * The tracing SDK's intake. Errors in a request are reported with their location; the rest of the request is stored
 * anyway, because SDKs do not resend it.
 */
export class Intake {
  #active = 0
  #activeBytes = 0
  /** The last write of spans. Linking updates other rows of the trace, which could deadlock with another one. */
  #spans: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly store: RunStore,
    private readonly limits: IntakeLimits = INTAKE_LIMITS,
  ) {}

  multipart(request: IncomingMessage, deploymentId?: string): Promise<IntakeResponse> {
    return this.#take(request, deploymentId, async (pieces) => {
      const boundary = boundaryOf(request.headers['content-type'])
      if (!boundary) throw new MalformedBody('The content type is not multipart/form-data with a boundary')
      const reader = new MultipartReader(boundary, (part) => pieces.add(part), this.limits.maxBytes)
      for await (const chunk of this.#chunks(request, pieces)) reader.push(chunk)
      reader.end()
    })
  }

  batch(request: IncomingMessage, deploymentId?: string): Promise<IntakeResponse> {
    return this.#take(request, deploymentId, async (pieces) => {
      const body = await this.#json(request, pieces)
      if (!isRecord(body)) pieces.refuse([], 'Input should be a valid dictionary', 'dict_type')
      else
        for (const kind of ['post', 'patch'] as const) {
          if (body[kind] !== undefined && body[kind] !== null && !Array.isArray(body[kind]))
            pieces.refuse([kind], 'Input should be a valid list', 'list_type')
          for (const [index, run] of listOf(body[kind]).entries()) pieces.addRun(kind, run, [kind, index])
        }
    })
  }

  one(request: IncomingMessage, kind: 'post' | 'patch', id?: string, deploymentId?: string): Promise<IntakeResponse> {
    return this.#take(request, deploymentId, async (pieces) =>
      pieces.addRun(kind, await this.#json(request, pieces), [], id),
    )
  }

  feedback(request: IncomingMessage, deploymentId?: string): Promise<IntakeResponse> {
    return this.#take(request, deploymentId, async (pieces) => {
      const body = await this.#json(request, pieces)
      if (!isRecord(body)) pieces.refuse([], 'Input should be a valid dictionary', 'dict_type')
      else if (typeof body.key !== 'string' || body.key === '') pieces.refuse(['key'], 'Field required', 'missing')
      else pieces.feedback.push(body)
    })
  }

  /** OpenTelemetry's spans, as protobuf or JSON. `project` is for spans that name none. */
  async spans(request: IncomingMessage, project: string | undefined, deploymentId?: string): Promise<SpansResponse> {
    let isJson = /json/i.test(request.headers['content-type'] ?? '')
    let rejected = 0
    const read: Read = async (pieces) => {
      const body = await this.#whole(request, pieces)
      // Some exporters lose their content type on the way. No protobuf request starts with a brace.
      isJson = isJson || body[0] === 0x7b
      const { spans, invalid } = readSpans(isJson ? parsed(body) : decoded(body))
      rejected = invalid
      if (invalid > 0) pieces.refuse([], `${invalid} spans have no valid trace and span id`)
      for (const [index, span] of spans.entries()) {
        const named = project ?? (deploymentId ? undefined : DEFAULT_PROJECT)
        pieces.addRun('patch', { ...(named && { session_name: named }), ...runOfSpan(span) }, [index])
      }
    }
    const write = async (pieces: IntakeRequest) => {
      rejected += pieces.dropped
      const turn = this.#spans.then(async () => {
        await this.store.write(pieces)
        await linkSpans(this.store.db, pieces.runs)
      })
      this.#spans = turn.catch(() => {})
      await turn
    }
    return { ...(await this.#take(request, deploymentId, read, write)), isJson, rejected }
  }

  async #take(
    request: IncomingMessage,
    deploymentId: string | undefined,
    read: Read,
    write: Read = (pieces) => this.store.write(pieces),
  ): Promise<IntakeResponse> {
    const { maxActive, maxActiveBytes } = this.limits
    if (this.#active >= maxActive || this.#activeBytes >= maxActiveBytes)
      return {
        status: 429,
        body: { detail: 'Too many runs at once. Send them again shortly.' },
        retryAfterS: RETRY_AFTER_S,
      }
    const encoding = encodingOf(request)
    if (encoding !== 'identity' && !UNPACKERS.has(encoding))
      return { status: 415, body: { detail: `A body encoded as ${encoding} cannot be read; send gzip or none.` } }
    const pieces = new IntakeRequest()
    this.#active += 1
    try {
      const refusal = await read(pieces).then(() => undefined, errorResponse)
      if (deploymentId) await keepOwn(this.store.db, pieces, deploymentId)
      await write(pieces)
      if (refusal) return refusal
      if (pieces.problems.length > 0) return { status: 422, body: { detail: pieces.problems } }
      return { status: 202, body: { message: 'Runs batch ingested' } }
    } finally {
      this.#active -= 1
      this.#activeBytes -= pieces.bytes
    }
  }

  /** The uncompressed body in chunks, up to the limit. */
  async *#chunks(request: IncomingMessage, pieces: IntakeRequest): AsyncGenerator<Buffer> {
    const unpacker = UNPACKERS.get(encodingOf(request))?.()
    const body = unpacker ? request.pipe(unpacker) : request
    // Without this, decompression would wait forever after the caller disconnects.
    if (unpacker) request.once('aborted', () => body.destroy(new MalformedBody('The connection was closed')))
    // Left open when it is too large: destroying the request would destroy the connection before the response.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      pieces.bytes += chunk.length
      this.#activeBytes += chunk.length
      if (pieces.bytes > this.limits.maxBytes)
        throw new TooLarge(`The request body is larger than ${this.limits.maxBytes} bytes.`)
      yield chunk
    }
  }

  async #whole(request: IncomingMessage, pieces: IntakeRequest): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this.#chunks(request, pieces)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  #json = async (request: IncomingMessage, pieces: IntakeRequest): Promise<unknown> =>
    parsed(await this.#whole(request, pieces))
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'))
  } catch (error) {
    throw new MalformedBody(`JSON decode error: ${(error as Error).message}`)
  }
}

function decoded(body: Buffer): unknown {
  try {
    return decodeRequest(body)
  } catch (error) {
    throw new MalformedBody(`The body is no OTLP trace request: ${(error as Error).message}`)
  }
}

/** The error for a body that could not be read completely. */
function errorResponse(error: Error & { code?: string }): IntakeResponse {
  if (error instanceof TooLarge) return { status: 413, body: { detail: error.message } }
  if (error instanceof MalformedBody) return { status: 400, body: { detail: error.message } }
  if (/^(Z_|ZSTD_)/.test(error.code ?? ''))
    return { status: 400, body: { detail: `The body cannot be decompressed: ${error.message}` } }
  if (error.code === 'ECONNRESET' || error.message === 'aborted')
    return { status: 400, body: { detail: 'The connection was closed' } }
  throw error
}
