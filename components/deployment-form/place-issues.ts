import type { ErrorView, FieldError } from '@/lib/errors'
import { entryOf } from '@/lib/json/guards'
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

/** The form field for a path of the request body. `secrets` are the sent ones, in order. */
export function fieldAt(path: FieldError['path'], secrets: readonly SecretDraft[]): CreateField | undefined {
  const at = path.indexOf('secrets')
  if (at !== -1) {
    // By position, or by name if the server's own text was removed from the error.
    const place = path[at + 1]
    const secret = typeof place === 'number' ? secrets[place] : secrets.find(({ name }) => name.trim() === place)
    return secret ? `secret ${secret.id}` : 'secrets'
  }
  // The first known part of the path; the rest, such as a key in a resource spec, goes into the message.
  for (const part of path) {
    const field = fieldNamed(String(part))
    if (field) return field
  }
  return undefined
}

/** In the other dialect the config path's key has another name. */
const fieldNamed = (key: string): CreateField | undefined =>
  key.endsWith('graph_config_path') ? 'configPath' : entryOf(FIELDS, key)

/** Splits the error of a rejected create into errors per field and the rest, shown above the button. */
export function placeIssues(
  error: ErrorView,
  secrets: readonly SecretDraft[],
): { issues: Issues; rest: ErrorView | undefined } {
  const issues: Partial<Record<CreateField, string>> = {}
  const unplaced = error.fields.filter(({ path, message }) => {
    const field = fieldAt(path, secrets)
    if (field) issues[field] = issues[field] ? `${issues[field]}; ${withPath(path, message)}` : withPath(path, message)
    return !field
  })
  if (Object.keys(issues).length > 0) {
    // The server's message repeats all field errors, so it is replaced.
    const rest = { ...error, message: 'The server also rejected:', fields: unplaced }
    return { issues, rest: unplaced.length > 0 ? rest : undefined }
  }
  const named = error.code === 'invalid' && unplaced.length === 0 ? fieldIn(error.message) : undefined
  return named ? { issues: { [named]: error.message }, rest: undefined } : { issues, rest: error }
}

/** Adds the path inside a resource spec to a message. */
function withPath(path: FieldError['path'], message: string): string {
  const inside = path.slice(path.indexOf('resource_spec') + 1)
  return path.includes('resource_spec') && inside.length > 0 ? `${inside.join('.')}: ${message}` : message
}

/** The field named in a message without field paths, such as "Integration … not found". */
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
