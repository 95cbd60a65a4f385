import { randomUUID } from 'node:crypto'
import { createFixture } from '../testing/platform-fixture'

type Json = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: tests read the responses of every operation, and fail if the shape differs
type Any = any

/** Parts of a multipart body: name, and JSON value or bytes. */
export type Parts = [name: string, value: unknown, header?: string][]
export const BOUNDARY = '----LangSmithFormBoundaryabc123'

/** A body in the tracing SDK's format. */
export function multipartBody(parts: Parts): Buffer {
  const chunks = parts.flatMap(([name, value, header]) => {
    const data = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))
    const type = header ?? `application/json; length=${data.length}`
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n`
    return [Buffer.from(head), data, Buffer.from('\r\n')]
  })
  return Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

export const START = Date.UTC(2026, 0, 1)
/** A run in the SDK's format, `n` milliseconds after the first of January. */
export function run(fields: Json = {}, n = 0): Json & { id: string; dotted_order: string; trace_id: string } {
  const id = (fields.id as string | undefined) ?? randomUUID()
  const start_time = new Date(START + n).toISOString().replace('Z', '001Z')
  return {
    id,
    name: 'agent',
    run_type: 'chain',
    start_time,
    end_time: START + n + 1000,
    trace_id: id,
    dotted_order: orderOf(id, n),
    session_name: 'tests',
    inputs: {},
    ...fields,
  }
}
export const orderOf = (id: string, n = 0): string =>
  `${new Date(START + n).toISOString().replace(/[-:.]/g, '').replace('Z', '001Z')}${id}`
export const child = (parent: { dotted_order: string; trace_id: string; id: string }, fields: Json = {}, n = 0) => {
  const one = run(fields, n)
  return {
    ...one,
    parent_run_id: parent.id,
    trace_id: parent.trace_id,
    dotted_order: `${parent.dotted_order}.${one.dotted_order}`,
  }
}

/** A platform without deployments, and a client of its tracing API. */
export async function createTracesFixture() {
  const fixture = await createFixture()
  const { url, apiKey } = fixture.platform
  const send = async (method: string, path: string, body?: BodyInit | Json, headers: Record<string, string> = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': apiKey, ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers },
      body: isRaw ? (body as BodyInit | undefined) : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: (text && JSON.parse(text)) as Any }
  }
  return {
    fixture,
    url,
    apiKey,
    send,
    post: (path: string, body: Json) => send('POST', path, body),
    get: (path: string) => send('GET', path),
    multipart: (parts: Parts | Buffer, headers: Record<string, string> = {}) =>
      send('POST', '/runs/multipart', (Buffer.isBuffer(parts) ? parts : multipartBody(parts)) as unknown as BodyInit, {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...headers,
      }),
    project: async (name: string): Promise<Any> =>
      (await send('GET', `/sessions?name=${encodeURIComponent(name)}`)).body[0],
    /** All runs of a project. */
    async runs(name: string, asked: Json = {}): Promise<Any[]> {
      const [project] = (await send('GET', `/sessions?name=${encodeURIComponent(name)}`)).body
      if (!project) return []
      return (await send('POST', '/runs/query', { session: [project.id], ...asked })).body.runs
    },
    close: () => fixture.close(),
  }
}
export type TracesFixture = Awaited<ReturnType<typeof createTracesFixture>>
