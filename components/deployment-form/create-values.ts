import type { DeploymentType } from '@/lib/contracts/deployments/deployment-rules'
import type { TextProblem } from './resource-spec/spec-text'
import type { Spec } from './resource-spec/spec-value'

/** The form's values without secrets, as typed. */
export type CreateValues = {
  name: string
  source: 'github' | 'external_docker'
  integration: string
  repository: string
  ref: string
  configPath: string
  buildOnPush: boolean
  type: DeploymentType
  installCommand: string
  buildCommand: string
  image: string
  listener: string
  namespace: string
  customUrl: string
  /** The last valid spec, and the error of text that has replaced it. */
  resourceSpec: { spec: Spec; textProblem?: TextProblem }
}

export const NO_VALUES: CreateValues = {
  name: '',
  source: 'github',
  integration: '',
  repository: '',
  ref: '',
  configPath: '',
  buildOnPush: true,
  type: 'dev',
  installCommand: '',
  buildCommand: '',
  image: '',
  listener: '',
  namespace: '',
  customUrl: '',
  resourceSpec: { spec: {} },
}

/**
 * A secret in the form; `note` warns if a pasted line may have been meant differently. One that the repository's example
 * suggested, `isOffered`, counts as an empty line until it has a value.
 */
export type SecretDraft = { id: number; name: string; value: string; note?: string; isOffered?: true }

/** The parts of the form that can have an error; secrets by their id. */
export type CreateField = keyof CreateValues | 'secrets' | `secret ${number}`
export type Issues = Readonly<Partial<Record<CreateField, string>>>

/** The secrets that are not empty lines. */
export const filled = (secrets: readonly SecretDraft[]): SecretDraft[] =>
  secrets.filter(({ name, value, isOffered }) => value !== '' || (name.trim() !== '' && !isOffered))

export type SectionProps = {
  workspace: string
  values: CreateValues
  issues: Issues
  change: (part: Partial<CreateValues>) => void
}
