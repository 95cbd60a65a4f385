import { fromWire, toWire } from '@/lib/contracts/wire/dialect'
import { platform } from './platform'
import { startStubUpstream } from './stub-upstream'

/**
 * The embedded platform as a control plane that knows only the brand's field names and ignores the default ones. `sent`
 * contains the request bodies as received.
 */
export async function startBrandedPlatform() {
  const { url, api_key: key } = platform()
  const sent: { method: string; path: string; body: Record<string, unknown> }[] = []
  let own = ''
  const stub = await startStubUpstream(async ({ method, path, headers, body }) => {
    const asked = body === '' ? undefined : (JSON.parse(body) as Record<string, unknown>)
    if (asked) sent.push({ method, path, body: asked })
    const reply = await fetch(url + path, {
      method,
      headers: { 'x-api-key': String(headers['x-api-key'] ?? ''), 'content-type': 'application/json' },
      body: asked && JSON.stringify(fromWire(withoutDefaults(asked))),
    })
    const text = (await reply.text()).replaceAll(`${url}/agents/`, `${own}/agents/`)
    const isJson = reply.headers.get('content-type')?.includes('json')
    return {
      status: reply.status,
      headers: { 'content-type': reply.headers.get('content-type') ?? 'application/json' },
      body: isJson && text !== '' ? JSON.stringify(toWire(JSON.parse(text), 'langgraph')) : text,
    }
  })
  own = stub.url
  return { ...stub, key, sent }
}

/** Removes the default dialect's names, because a server ignores names that it does not know. */
function withoutDefaults(body: Record<string, unknown>): Record<string, unknown> {
  const { source_revision_config: config } = body
  if (typeof config !== 'object' || config === null) return body
  const { graph_config_path: _, ...known } = config as Record<string, unknown>
  return { ...body, source_revision_config: known }
}
