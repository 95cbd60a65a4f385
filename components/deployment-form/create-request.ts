import { jsonProblemText } from '@/components/shared/json/json-problem'
import { commandProblem, createProblems, isTagRef, nameProblem } from '@/lib/contracts/deployments/deployment-rules'
import { resourceProblems } from '@/lib/contracts/deployments/resource-defaults'
import { valueProblem } from '@/lib/contracts/deployments/secret-changes'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type CreateField, type CreateValues, filled, type Issues, type SecretDraft } from './create-values'
import { fieldAt } from './place-issues'

type Values = Record<string, unknown>
export type CreateBody = {
  name: string
  source: CreateValues['source']
  source_config: Values
  source_revision_config: Values
  secrets: { name: string; value: string }[]
}
export type CreateRequest = { ok: true; body: CreateBody } | { ok: false; issues: Issues }

/** The requirements of the workspace's listeners. */
export type ListenerRules = { isRequired: boolean; takesNamespace: boolean }

/** The request body for the form, or its validation errors by field. */
export function createRequest(
  values: CreateValues,
  drafts: readonly SecretDraft[],
  rules: ListenerRules,
): CreateRequest {
  const secrets = filled(drafts)
  const issues: Partial<Record<CreateField, string>> = {}
  const note = (field: CreateField | undefined, message: string | undefined) => {
    if (field !== undefined && message !== undefined) issues[field] ??= message
  }
  const spec = readSpec(values)
  if ('problem' in spec) note('resourceSpec', spec.problem)
  const body = bodyOf(values, secrets, rules, 'value' in spec ? spec.value : undefined)

  note('name', nameProblem(body.name))
  if (values.source === 'external_docker' && rules.isRequired && values.listener === '')
    note('listener', 'Choose a listener')
  if (body.source_config.custom_url !== undefined && !isWebAddress(values.customUrl.trim()))
    note('customUrl', 'Enter an http or https URL')
  if (values.source === 'github' && /^[a-z]+:\/\/[^/]*@/i.test(values.repository.trim()))
    note('repository', 'Remove the user and password from the URL; the integration has its own')
  for (const { id, value } of secrets) note(`secret ${id}`, valueProblem(value))
  for (const { path, message } of createProblems(values.source, body))
    note(fieldAt(path, secrets), message === 'Field required' ? 'Required' : message)
  for (const command of ['installCommand', 'buildCommand'] as const)
    if (values.source === 'github') note(command, commandProblem(values[command].trim()))

  return Object.keys(issues).length > 0 ? { ok: false, issues } : { ok: true, body }
}

function bodyOf(values: CreateValues, secrets: SecretDraft[], rules: ListenerRules, spec: unknown): CreateBody {
  const text = (value: string) => value.trim() || undefined
  const isGithub = values.source === 'github'
  const config: Values = isGithub
    ? {
        integration_id: text(values.integration),
        repo_url: text(values.repository),
        deployment_type: values.type,
        build_on_push: values.buildOnPush && !isTagRef(values.ref.trim()),
        install_command: text(values.installCommand),
        build_command: text(values.buildCommand),
      }
    : {
        listener_id: text(values.listener),
        listener_config:
          rules.takesNamespace && text(values.namespace) ? { k8s_namespace: text(values.namespace) } : undefined,
        custom_url: text(values.customUrl),
        resource_spec: spec,
      }
  return {
    name: values.name,
    source: values.source,
    source_config: given(config),
    source_revision_config: given(
      isGithub
        ? { repo_ref: text(values.ref), graph_config_path: text(values.configPath) }
        : { image_uri: text(values.image) },
    ),
    secrets: secrets.map(({ name, value }) => ({ name: name.trim(), value })),
  }
}

const given = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, one]) => one !== undefined))

function readSpec({ source, resourceSpec: text }: CreateValues): { value: Values | undefined } | { problem: string } {
  if (source !== 'external_docker' || text.trim() === '') return { value: undefined }
  const problem = jsonProblemText(text)
  if (problem) return { problem }
  const value = parseJson(text)
  if (!isRecord(value)) return { problem: 'Enter a JSON object' }
  // The server's schema checks types. This checks only the rules between fields.
  const [wrong] = hasLists(value) ? resourceProblems(value) : []
  return wrong ? { problem: `${wrong.path.join('.')}: ${wrong.message}` } : { value }
}

const LISTS = ['volumes', 'volume_mounts', 'init_containers', 'sidecars']
const hasLists = (spec: Values) =>
  LISTS.every((key) => spec[key] === undefined || (Array.isArray(spec[key]) && spec[key].every(isRecord)))

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** The request for display, with secret names but no values. */
export const masked = (body: CreateBody): CreateBody => ({
  ...body,
  secrets: body.secrets.map(({ name }) => ({ name, value: '••••••••' })),
})
