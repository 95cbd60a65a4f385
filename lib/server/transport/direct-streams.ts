import 'server-only'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Env } from '../process/env'
import { log } from '../process/log'
import { OPENING } from './frames'
import { gatheredStream, setDirectReads } from './gathered-stream'
import { forgetNodeResponses, keepNodeResponses, LIVE_PATH, nodeResponse } from './node-response'
import { Outlet } from './outlet'

const CHECK_TIMEOUT_MS = 2_000
/** Long enough for loopback data to reach a socket that still reads. */
const ARRIVAL_MS = 20

/**
 * Enables direct writes to live connections and direct reads from agent servers, which rely on Node internals. If the
 * setting is `off` or the self-check fails, streams use Node's public API; a failed check is logged once.
 */
export async function startDirectStreams(
  setting: Env['PILOTHOUSE_DIRECT_STREAMS'],
  check: () => Promise<void> = checkDirectStreams,
): Promise<void> {
  if (setting === 'off') return stopDirectStreams()
  setDirectReads(true)
  keepNodeResponses()
  try {
    await check()
  } catch (error) {
    stopDirectStreams()
    log.warn('direct_streams.unavailable', { error })
  }
}

/** From now on new streams use Node's public API. */
export function stopDirectStreams(): void {
  setDirectReads(false)
  forgetNodeResponses()
}

/** Sends a stream over a loopback connection with both internals. Throws if they behave differently than expected. */
export async function checkDirectStreams(timeoutMs = CHECK_TIMEOUT_MS): Promise<void> {
  const server = createServer()
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`The self-check took longer than ${timeoutMs} ms.`)), timeoutMs)
      exchange(server, reject).then(resolve, reject)
    })
  } finally {
    clearTimeout(timer)
    server.closeAllConnections()
    server.close()
  }
}

async function exchange(server: Server, fail: (error: unknown) => void): Promise<void> {
  let onOpen = (_: Outlet) => {}
  const opened = new Promise<Outlet>((resolve) => {
    onOpen = resolve
  })
  const respond = async (response: ServerResponse) => {
    await null // a route handler never runs in the turn of the request event
    assert(nodeResponse() === response, 'The request has no Node response.')
    const outlet = new Outlet(response, { onRoom: () => onOpen(outlet), onGone: () => {} })
    await pipeToResponse(outlet.body, response)
  }
  server.on('request', (_, response) => void respond(response).catch(fail))
  // Of several processes that share a port, each needs its own here.
  await once(server.listen({ port: 0, host: '127.0.0.1', exclusive: true }), 'listening')
  const { port } = server.address() as AddressInfo
  const request = get({ host: '127.0.0.1', port, path: LIVE_PATH, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const reader = gatheredStream(response, () => {}).getReader()
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString()
  assert((await read()) === OPENING.toString(), 'The first bytes did not arrive.')
  const outlet = await opened
  assert(outlet.isDirect, 'The connection accepts no direct writes.')
  const { bytesRead } = response.socket
  outlet.write([Buffer.from('one ')])
  await sleep(ARRIVAL_MS)
  assert(response.socket.bytesRead === bytesRead, 'A stopped connection keeps reading.')
  outlet.write([Buffer.from('two '), Buffer.from('three')])
  outlet.close()
  let rest = ''
  for (let text = await read(); text !== ''; text = await read()) rest += text
  assert(rest === 'one two three', 'Direct writes did not arrive whole and in order.')
}

function assert(isTrue: boolean, problem: string): asserts isTrue {
  if (!isTrue) throw new Error(problem)
}

/** Sends a body as Next.js does: the headers leave with the first bytes, and it is read only as fast as the client reads. */
export async function pipeToResponse(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const closed = new AbortController()
  response.on('close', () => closed.abort())
  const sink = new WritableStream<Uint8Array>({
    async write(bytes) {
      response.flushHeaders()
      if (response.write(bytes)) return
      await once(response, 'drain', { signal: closed.signal }).catch(() => {}) // without a client, the pipe itself ends
    },
    close: () => void response.end(),
  })
  await body.pipeTo(sink, { signal: closed.signal })
}
