import { randomUUID } from 'node:crypto'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'

// For tests only: an in-process control plane with one deployment that can misbehave like real ones.

type Secret = { name: string; value: string }
export type PlaneResponse = { status: number; contentType: string; text: string } | 'lost'

/** How it shows secrets on a read. */
export type Reading = 'plain' | 'masked' | 'hidden' | 'constant' | 'half' | 'shuffled' | 'unlisted' | 'html'
/** What it does with an update. `lost` breaks the connection; `-late` fails after the update took effect. */
export type Writing = 'plain' | 'fail' | 'fail-late' | 'lost' | 'lost-late' | 'html' | 'html-late' | 'ignore' | 'echo'

export const DEPLOYMENT = '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001'

export function badControlPlane(secrets: Secret[] = [], { seed = 1 } = {}) {
  let random = seed
  const next = () => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
    return random / 2_147_483_648
  }
  const plane = {
    secrets: secrets.map((one) => ({ ...one })),
    fields: { build_on_push: false, resource_spec: { cpu: 1, future_field: { kept: true } } } as Record<
      string,
      unknown
    >,
    revisions: [randomUUID()],
    /** For each update that took effect: the list before and after, and the request body. */
    updates: [] as { before: Secret[]; after: Secret[]; body: Record<string, unknown> }[],
    /** Every update body received. */
    received: [] as string[],
    reading: 'plain' as Reading,
    writing: 'plain' as Writing,
    /** Called once, on the next request of that kind, before or after it takes effect. */
    onRead: undefined as (() => void) | undefined,
    beforeWrite: undefined as (() => void) | undefined,
    afterWrite: undefined as (() => void) | undefined,
    /** A write by somebody outside this console. */
    writeOutside(change: (list: Secret[]) => Secret[]) {
      plane.secrets = change(plane.secrets)
      plane.revisions.unshift(randomUUID())
    },
    handle({ method, path, body }: { method: string; path: string; body?: string }): PlaneResponse {
      if (path.includes('/revisions')) return json(200, { resources: plane.revisions.map(revision), offset: 0 })
      if (method === 'PATCH') return update(body ?? '')
      take('onRead')
      return plane.reading === 'html' ? HTML : json(200, record(plane.reading))
    },
  }

  function take(hook: 'onRead' | 'beforeWrite' | 'afterWrite') {
    const run = plane[hook]
    plane[hook] = undefined
    run?.()
  }
  const revision = (id: string) => ({
    id,
    ...TIMES,
    status: 'DEPLOYED',
    source: 'external_docker',
    source_revision_config: {},
  })
  const record = (reading: Reading) => ({
    id: DEPLOYMENT,
    name: 'demo',
    source: 'external_docker',
    source_config: plane.fields,
    source_revision_config: { image_uri: 'example/agent:1' },
    ...(reading !== 'unlisted' && { secrets: shown(reading) }),
    ...TIMES,
    status: 'READY',
    latest_revision_id: plane.revisions[0],
    unknown_of_tomorrow: { nested: [1, 2, 3] },
  })

  function shown(reading: Reading): unknown[] {
    const list = plane.secrets.map((one) => ({ ...one, unknown_too: 1 }))
    if (reading === 'masked')
      return list.map((one) => ({ ...one, value: one.value.replace(/[\s\S]/g, '*').slice(0, 12) || '***' }))
    if (reading === 'hidden') return list.map(({ name }) => ({ name, value: null }))
    if (reading === 'constant') return list.map(({ name }) => ({ name, value: 'stored-elsewhere' }))
    if (reading === 'half') return list.slice(0, Math.floor(list.length / 2))
    return reading === 'shuffled' ? list.sort(() => next() - 0.5) : list
  }

  function update(text: string): PlaneResponse {
    plane.received.push(text)
    const { writing } = plane
    const response = ANSWERS[writing]?.(text)
    if (['fail', 'lost', 'html', 'echo'].includes(writing)) return response ?? HTML
    if (writing === 'ignore') return json(200, record('plain'))
    take('beforeWrite')
    const before = plane.secrets
    const body = parseJson(text) as Record<string, unknown> // as our own client prints it
    if (Array.isArray(body.secrets))
      plane.secrets = (body.secrets as Secret[]).map(({ name, value }) => ({ name, value }))
    if (isRecord(body.source_config)) plane.fields = { ...plane.fields, ...body.source_config }
    plane.revisions.unshift(randomUUID())
    plane.updates.push({ before, after: plane.secrets, body })
    take('afterWrite')
    return response ?? json(200, record(plane.reading))
  }
  return plane
}
export type BadControlPlane = ReturnType<typeof badControlPlane>

const TIMES = { created_at: '2026-11-21T00:00:00Z', updated_at: '2026-11-21T00:00:00Z' }
const json = (status: number, body: unknown): PlaneResponse => ({
  status,
  contentType: 'application/json',
  text: JSON.stringify(body),
})
const HTML: PlaneResponse = { status: 200, contentType: 'text/html', text: '<html><title>Please wait</title></html>' }
const failure: PlaneResponse = { status: 500, contentType: 'text/plain', text: 'Internal Server Error' }
const ANSWERS: Partial<Record<Writing, (sent: string) => PlaneResponse>> = {
  fail: () => failure,
  'fail-late': () => failure,
  lost: () => 'lost',
  'lost-late': () => 'lost',
  html: () => HTML,
  'html-late': () => HTML,
  // Validators quote the refused value.
  echo: (sent) =>
    json(422, {
      detail: [{ loc: ['body', 'secrets', 0, 'value'], msg: `invalid value: ${sent}`, type: 'value_error' }],
    }),
}
