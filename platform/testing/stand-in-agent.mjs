// Follows the contract between roll-out and agent server, and misbehaves on request. For tests only.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { env } from 'node:process'
import { pathToFileURL } from 'node:url'

const {
  PILOTHOUSE_AGENT_CONFIG = '',
  PILOTHOUSE_AGENT_INFO = 'null',
  PILOTHOUSE_AGENT_OWNER,
  PILOTHOUSE_SECRETS_FD,
} = env
const { PILOTHOUSE_AGENT_SECRET } = JSON.parse(readFileSync(Number(PILOTHOUSE_SECRETS_FD), 'utf8'))
process.once('disconnect', () => process.exit(0))
process.on('message', (/** @type {any} */ { drain, ping }) => {
  if (drain) process.send?.({ idle: true })
  if (ping) process.send?.({ pong: true })
})

/** @type {Record<string, any>} */
const graphs = {}
/** @type {Record<string, any>} */
const configured = JSON.parse(readFileSync(PILOTHOUSE_AGENT_CONFIG, 'utf8')).graphs
for (const [name, value] of Object.entries(configured)) {
  const [file, exported] = (value.path ?? value).split(':')
  try {
    graphs[name] = (await import(pathToFileURL(path.resolve(path.dirname(PILOTHOUSE_AGENT_CONFIG), file)).href))[
      exported
    ]
    if (!graphs[name]) throw new Error(`there is no export ${exported}`)
  } catch (error) {
    process.send?.({ failed: { graph: name, message: error.message } })
    console.error(error.stack)
    setTimeout(() => process.exit(1), 20)
    await new Promise(() => {})
  }
}

const json = (response, body, status = 200, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
let cut = 0
const instance = String(Math.random())

const server = createServer(async (request, response) => {
  if (request.headers['x-pilothouse-child'] !== PILOTHOUSE_AGENT_SECRET) return json(response, { detail: 'no' }, 403)
  const url = new URL(request.url ?? '/', 'http://x')
  const [, first, name, last] = url.pathname.split('/')
  const ms = Number(url.searchParams.get('ms') ?? 20)
  if (first === 'ok') return json(response, { ok: true })
  if (first === 'assistants' && last === 'graph')
    return graphs[name].draws === false
      ? json(response, { detail: `${name} cannot be drawn` }, 500)
      : json(response, { nodes: [], edges: [] })
  if (first === 'info') return json(response, { metadata: JSON.parse(PILOTHOUSE_AGENT_INFO) })
  if (first === 'about')
    return json(response, {
      pid: process.pid,
      // Process numbers are the same in namespaces of their own.
      instance,
      revision: PILOTHOUSE_AGENT_OWNER,
      greeting: env.GREETING ?? null,
      text: graphs.main.text,
      cwd: process.cwd(),
      cut,
      names: Object.keys(env).sort(),
      info: JSON.parse(PILOTHOUSE_AGENT_INFO),
    })
  if (first === 'hold') {
    // Counts while a file exists.
    response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': ['a=1', 'b=2'] })
    for (let n = 0; existsSync(url.searchParams.get('file') ?? ''); n += 1) {
      response.write(`data: ${n}\n\n`)
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
    return response.end('data: whole\n\n')
  }
  if (first === 'say') {
    console.log(url.searchParams.get('text'))
    return json(response, {})
  }
  if (first === 'crash') process.exit(3)
  if (first === 'spin') {
    json(response, {})
    setTimeout(() => {
      for (;;);
    }, 50)
    return
  }
  if (first === 'stream') {
    response.once('close', () => {
      cut += response.writableFinished ? 0 : 1
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let n = 0; n < Number(url.searchParams.get('n') ?? 5) && !response.destroyed; n += 1) {
      response.write(`data: ${n}\n\n`)
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
    return response.end()
  }
  if (first === 'early') return json(response, { detail: 'too large' }, 413, { connection: 'close' })
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  await new Promise((resolve) => setTimeout(resolve, Number(url.searchParams.get('ms') ?? 0)))
  const body = Buffer.concat(chunks)
  json(response, {
    method: request.method,
    url: request.url,
    headers: request.headers,
    raw: request.rawHeaders,
    length: body.length,
    body: body.toString().slice(0, 200),
  })
})
server.listen(Number(env.PILOTHOUSE_AGENT_PORT ?? 0), env.PILOTHOUSE_AGENT_HOST ?? '127.0.0.1', () => {
  console.log('stand-in is listening')
  process.send?.({ ready: { port: /** @type {import('node:net').AddressInfo} */ (server.address()).port } })
})
