import type { DeploymentType } from '@/lib/contracts/deployments/deployment-rules'

/** What the form holds besides secrets, each as it was typed. */
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
  /** JSON text. */
  resourceSpec: string
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
  resourceSpec: '',
}

/** A secret of the form; `note` says what was read otherwise than it may have been meant. */
export type SecretDraft = { id: number; name: string; value: string; note?: string }

/** Parts of the form that something can be wrong with; a secret by its id. */
export type CreateField = keyof CreateValues | 'secrets' | `secret ${number}`
export type Issues = Readonly<Partial<Record<CreateField, string>>>

/** A line that nobody has filled in is no secret. */
export const filled = (secrets: readonly SecretDraft[]): SecretDraft[] =>
  secrets.filter(({ name, value }) => name.trim() !== '' || value !== '')

export type SectionProps = {
  workspace: string
  values: CreateValues
  issues: Issues
  change: (part: Partial<CreateValues>) => void
}
