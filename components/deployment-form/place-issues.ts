import type { ErrorView, FieldError } from '@/lib/errors'
import type { CreateField, Issues, SecretDraft } from './create-values'

const FIELDS: Record<string, CreateField> = {
  name: 'name',
  source: 'source',
  integration_id: 'integration',
  repo_url: 'repository',
  repo_ref: 'ref',
  build_on_push: 'buildOnPush',
  deployment_type: 'type',
  install_command: 'installCommand',
  build_command: 'buildCommand',
  image_uri: 'image',
  listener_id: 'listener',
  listener_config: 'namespace',
  custom_url: 'customUrl',
  resource_spec: 'resourceSpec',
}

/** The field of the form that a path of the request belongs to. `secrets` are those that were sent, in their order. */
export function fieldAt(path: FieldError['path'], secrets: readonly SecretDraft[]): CreateField | undefined {
  const at = path.indexOf('secrets')
  if (at !== -1) {
    // By position, or by name where the words of the server were taken out of a refusal.
    const place = path[at + 1]
    const secret = typeof place === 'number' ? secrets[place] : secrets.find(({ name }) => name.trim() === place)
    return secret ? `secret ${secret.id}` : 'secrets'
  }
  // The first that is known: what is behind it, such as a place in a resource spec, is part of the message.
  for (const part of path) {
    const field = fieldNamed(String(part))
    if (field) return field
  }
  return undefined
}

/** The config path's key has another name in another dialect. */
const fieldNamed = (key: string): CreateField | undefined =>
  key.endsWith('graph_config_path') ? 'configPath' : Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined

/** Splits a refused create into what belongs to a field, and what is said above the button; each once. */
export function placeIssues(
  error: ErrorView,
  secrets: readonly SecretDraft[],
): { issues: Issues; rest: ErrorView | undefined } {
  const issues: Partial<Record<CreateField, string>> = {}
  const unplaced = error.fields.filter(({ path, message }) => {
    const field = fieldAt(path, secrets)
    if (field) issues[field] = issues[field] ? `${issues[field]}; ${sayIn(path, message)}` : sayIn(path, message)
    return !field
  })
  if (Object.keys(issues).length > 0) {
    // Servers sum all fields up in the message: those that have a place are not said again.
    const rest = { ...error, message: 'The server also refused:', fields: unplaced }
    return { issues, rest: unplaced.length > 0 ? rest : undefined }
  }
  const named = error.code === 'invalid' && unplaced.length === 0 ? fieldIn(error.message) : undefined
  return named ? { issues: { [named]: error.message }, rest: undefined } : { issues, rest: error }
}

/** Inside a resource spec the place is worth saying. */
function sayIn(path: FieldError['path'], message: string): string {
  const inside = path.slice(path.indexOf('resource_spec') + 1)
  return path.includes('resource_spec') && inside.length > 0 ? `${inside.join('.')}: ${message}` : message
}

/** Servers that name no field name the thing: "source_config.listener_id is required", "Integration … not found". */
function fieldIn(message: string): CreateField | undefined {
  const key = /\b[a-z]+(?:_[a-z]+)+\b/g
  for (const [word] of message.matchAll(key)) {
    const field = fieldNamed(word)
    if (field && word !== 'name') return field
  }
  if (/\bintegration\b/i.test(message)) return 'integration'
  if (/\blistener\b/i.test(message)) return 'listener'
  return /\bimage\b/i.test(message) ? 'image' : undefined
}
