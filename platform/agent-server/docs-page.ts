type Operation = { operationId: string; tags: string[]; requestBody?: { content: Record<string, { schema: unknown }> } }
type Api = { info: { title: string; version: string }; paths: Record<string, Record<string, Operation>> }

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
h2{margin-top:2rem;font-size:1rem}details{border-top:1px solid #8884;padding:.4rem 0}summary{cursor:pointer}
code{font:13px ui-monospace,monospace}b{display:inline-block;width:4.5rem;font:600 12px ui-monospace,monospace}
pre{overflow:auto;padding:.6rem;background:#8882;border-radius:4px;font:12px ui-monospace,monospace}small{opacity:.7;margin-left:.6rem}`

/** The reference as one page without any script, from the description of the API. */
export function renderDocs(api: Api): string {
  const groups = new Map<string, string[]>()
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'System'] = operation.tags
      groups.set(tag, [...(groups.get(tag) ?? []), renderOperation(method, path, operation)])
    }
  const sections = [...groups].map(([tag, operations]) => `<h2>${escapeHtml(tag)}</h2>${operations.join('')}`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(api.info.title)}</title><style>${STYLE}</style>
<h1>${escapeHtml(api.info.title)} <small>${escapeHtml(api.info.version)}</small></h1>
<p>Machine-readable as <a href="openapi.json">openapi.json</a>. Every request needs the header <code>X-Api-Key</code>.</p>
${sections.join('\n')}</html>`
}

function renderOperation(method: string, path: string, { operationId, requestBody }: Operation): string {
  const schema = requestBody?.content['application/json']?.schema
  const body = schema ? `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>` : '<p>No request body.</p>'
  return `<details><summary><b>${method.toUpperCase()}</b><code>${escapeHtml(path)}</code><small>${escapeHtml(operationId)}</small></summary>${body}</details>`
}
