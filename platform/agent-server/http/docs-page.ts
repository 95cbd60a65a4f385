import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

type Operation = { operationId: string; tags: string[]; requestBody?: { content: Record<string, { schema: unknown }> } }
type Api = { info: { title: string; version: string }; paths: Record<string, Record<string, Operation>> }

export type DocsPage = { html: string; policy: string; etag: string }

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

const STYLE = `body{margin:0}.plain{font:14px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
.plain h2{margin-top:2rem;font-size:1rem}.plain details{border-top:1px solid #8884;padding:.4rem 0}.plain summary{cursor:pointer}
.plain code{font:13px ui-monospace,monospace}.plain b{display:inline-block;width:4.5rem;font:600 12px ui-monospace,monospace}
.plain pre{overflow:auto;padding:.6rem;background:#8882;border-radius:4px;font:12px ui-monospace,monospace}
.plain small{opacity:.7;margin-left:.6rem}`

/** Replaces the plain page once it has rendered. Makes no requests of its own: no validator, no stored keys. */
const START = `const place = document.createElement('div')
document.body.append(place)
try {
  SwaggerUIBundle({
    spec: JSON.parse(document.getElementById('api').textContent),
    domNode: place,
    validatorUrl: null,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    tryItOutEnabled: false,
    deepLinking: false,
    onComplete: () => document.getElementById('plain').remove(),
  })
} catch (error) {
  place.remove()
}`

let bundle: Promise<{ script: string; scriptHash: string; style: string }> | undefined

/** The reference's parts from the installed package, read on the first request. */
function readBundle() {
  bundle ??= (async () => {
    const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
    const [script, style] = await Promise.all(
      ['swagger-ui-bundle.js', 'swagger-ui.css'].map((name) => readFile(path.join(folder, name), 'utf8')),
    )
    // Inside an HTML document these would end the script early, or keep it from ending.
    const inline = (script as string).replaceAll('<!--', '<\\u0021--').replace(/<\/script/gi, '<\\/script')
    return { script: inline, scriptHash: hashOf(inline), style: style as string }
  })()
  return bundle
}

/**
 * The API reference as one self-contained document: the OpenAPI description, the viewer's script and its style are
 * inlined, so it works below any path, behind a key, from a file, and in a frame without an origin. Without scripts,
 * the plain list stays.
 */
export async function renderDocs(api: Api): Promise<DocsPage> {
  const { script, scriptHash, style } = await readBundle()
  const spec = JSON.stringify(api).replaceAll('<', '\\u003c')
  const policy = [
    `default-src 'none'`,
    `script-src 'sha256-${scriptHash}' 'sha256-${hashOf(START)}'`,
    `style-src 'unsafe-inline'`,
    `img-src data:`,
    // For "Try it out".
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(api.info.title)}</title><style>${style.replace(/<\/style/gi, '<\\/style')}</style><style>${STYLE}</style></head>
<body>${renderPlain(api)}
<script type="application/json" id="api">${spec}</script>
<script>${script}</script><script>${START}</script></body></html>`
  return {
    html,
    policy,
    etag: `"${createHash('sha256').update(spec).update(scriptHash).update(START).digest('base64url')}"`,
  }
}

function renderPlain(api: Api): string {
  const groups = new Map<string, string[]>()
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'System'] = operation.tags
      groups.set(tag, [...(groups.get(tag) ?? []), renderOperation(method, path, operation)])
    }
  const sections = [...groups].map(([tag, operations]) => `<h2>${escapeHtml(tag)}</h2>${operations.join('')}`)
  return `<main class="plain" id="plain"><h1>${escapeHtml(api.info.title)} <small>${escapeHtml(api.info.version)}</small></h1>
<p>Machine-readable as <a href="openapi.json">openapi.json</a>. Every request needs the header <code>X-Api-Key</code>.</p>
${sections.join('\n')}</main>`
}

function renderOperation(method: string, path: string, { operationId, requestBody }: Operation): string {
  const schema = requestBody?.content['application/json']?.schema
  const body = schema ? `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>` : '<p>No request body.</p>'
  return `<details><summary><b>${method.toUpperCase()}</b><code>${escapeHtml(path)}</code><small>${escapeHtml(operationId)}</small></summary>${body}</details>`
}
