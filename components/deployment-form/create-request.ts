import { commandProblem, createProblems, isTagRef, nameProblem } from '@/lib/contracts/deployments/deployment-rules'
import { valueProblem } from '@/lib/contracts/deployments/secret-changes'
import { type CreateField, type CreateValues, filled, type Issues, type SecretDraft } from './create-values'
import { fieldAt } from './place-issues'
import { problemsOf } from './resource-spec/check'

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
  note('resourceSpec', spec.problem)
  const body = bodyOf(values, secrets, rules, spec.value)

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

function readSpec({ source, resourceSpec: { spec, textProblem } }: CreateValues): {
  value?: unknown
  problem?: string
} {
  if (source !== 'external_docker') return {}
  if (textProblem)
    return { problem: `The text is not valid: line ${textProblem.line}, column ${textProblem.column}. Fix it first.` }
  const [wrong] = problemsOf(spec)
  if (wrong) return { problem: `${wrong.path.join('.')}: ${wrong.message}` }
  return Object.keys(spec).length > 0 ? { value: spec } : {}
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** The request for display, with secret names but no values. */
export const masked = (body: CreateBody): CreateBody => ({
  ...body,
  secrets: body.secrets.map(({ name }) => ({ name, value: '••••••••' })),
})
