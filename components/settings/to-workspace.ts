const text = (form: FormData, name: string) => String(form.get(name) ?? '').trim()

/** The keys that were entered; undefined when there are none, so that the stored ones are kept. */
function readKeys(form: FormData) {
  const entered = ['apiKey', 'tenantId', 'bearer', 'agentApiKey'].flatMap((name) => {
    const value = text(form, `keys.${name}`)
    return value ? [[name, value] as const] : []
  })
  return entered.length > 0 ? Object.fromEntries(entered) : undefined
}

/** The tracing URL with the keys that were entered for it; null if it is empty. */
function readTraces(form: FormData) {
  const [url, apiKey, tenantId] = ['url', 'apiKey', 'tenantId'].map((name) => text(form, `traces.${name}`))
  return url ? { url, ...(apiKey && { apiKey }), ...(tenantId && { tenantId }) } : null
}

const common = (form: FormData) => ({
  traces: readTraces(form),
  name: text(form, 'name'),
  dialect: text(form, 'dialect') as 'auto' | 'graph' | 'langgraph',
  allowedOrigins: text(form, 'allowedOrigins').split(/\s+/).filter(Boolean),
  secretNames: text(form, 'secretNames') as 'members' | 'admins',
})

/** What a test of the connection needs, from the dialog's fields; `slug` is the workspace that is edited. */
export const toDraft = (form: FormData, slug: string | undefined) => ({
  ...(slug !== undefined && { slug }),
  baseUrl: text(form, 'baseUrl'),
  dialect: text(form, 'dialect') as 'auto' | 'graph' | 'langgraph',
  keys: readKeys(form),
})

/** The request body of a new workspace, from the dialog's fields. */
export function toNewWorkspace(form: FormData, kind: 'control-plane' | 'direct') {
  const shared = { slug: text(form, 'slug'), ...common(form) }
  return kind === 'direct'
    ? { kind, ...shared }
    : { kind, ...shared, baseUrl: text(form, 'baseUrl'), keys: readKeys(form) ?? {} }
}

/** The request body of an edited workspace. Empty key fields keep the stored keys. */
export const toChange = (form: FormData) => ({
  ...common(form),
  ...(form.has('baseUrl') && { baseUrl: text(form, 'baseUrl') }),
  keys: readKeys(form),
})
