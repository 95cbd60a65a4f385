const text = (form: FormData, name: string) => String(form.get(name) ?? '').trim()

/** The keys that were entered; undefined when none was, so that stored ones stay. */
function keysOf(form: FormData) {
  const entered = ['apiKey', 'tenantId', 'bearer', 'agentApiKey'].flatMap((name) => {
    const value = text(form, `keys.${name}`)
    return value ? [[name, value] as const] : []
  })
  return entered.length > 0 ? Object.fromEntries(entered) : undefined
}

/** The tracing address with the keys that were entered for it; null where it is left empty. */
function tracesOf(form: FormData) {
  const [url, apiKey, tenantId] = ['url', 'apiKey', 'tenantId'].map((name) => text(form, `traces.${name}`))
  return url ? { url, ...(apiKey && { apiKey }), ...(tenantId && { tenantId }) } : null
}

const common = (form: FormData) => ({
  traces: tracesOf(form),
  name: text(form, 'name'),
  dialect: text(form, 'dialect') as 'auto' | 'graph' | 'langgraph',
  allowedOrigins: text(form, 'allowedOrigins').split(/\s+/).filter(Boolean),
  secretNames: text(form, 'secretNames') as 'members' | 'admins',
})

/** The body of a new workspace, from the dialog's fields. */
export function toNewWorkspace(form: FormData, kind: 'control-plane' | 'direct') {
  const shared = { slug: text(form, 'slug'), ...common(form) }
  return kind === 'direct'
    ? { kind, ...shared }
    : { kind, ...shared, baseUrl: text(form, 'baseUrl'), keys: keysOf(form) ?? {} }
}

/** The change of a workspace; empty key fields change nothing. */
export const toChange = (form: FormData) => ({
  ...common(form),
  ...(form.has('baseUrl') && { baseUrl: text(form, 'baseUrl') }),
  keys: keysOf(form),
})
