import { isRecord } from '@/lib/json/guards'
import { appliesTo, isTagRef, patchMakesRevision } from './deployment-rules'

/** The changeable settings of a deployment, except secrets and resource spec. Shared by the form and the server. */
export const SETTINGS = [
  'source_revision_config.repo_ref',
  'source_revision_config.graph_config_path',
  'source_revision_config.image_uri',
  'source_config.build_on_push',
  'source_config.install_command',
  'source_config.build_command',
  'source_config.custom_url',
] as const
export type Setting = (typeof SETTINGS)[number]

/** Null: not set. */
export type Settings = Record<Setting, string | boolean | null>
export type SettingsChange = Partial<Record<Setting, string | boolean>>

/** A line of the review. */
export type SettingsDifference = { setting: Setting; from: string | boolean | null; to: string | boolean }

const NO_BUILD = ['external_docker', 'internal_docker']

/** The settings that a deployment of this source has. */
export const settingsFor = (source: string): Setting[] =>
  SETTINGS.filter(
    (setting) => appliesTo(source, setting) && !(setting.endsWith('_command') && NO_BUILD.includes(source)),
  )

/** A record's settings. Values that are neither text nor boolean count as not set. */
export function settingsOf(record: Readonly<Record<string, unknown>>): Settings {
  const read = (setting: Setting) => {
    const value = setting.split('.').reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), record)
    return typeof value === 'string' || typeof value === 'boolean' ? value : null
  }
  return Object.fromEntries(SETTINGS.map((setting) => [setting, read(setting)])) as Settings // one of each, as the line says
}

/** An empty setting keeps its value: for servers null means "unchanged", and empty text is invalid. */
export const mayBeEmpty = (setting: Setting): boolean => setting.endsWith('_command')

/** The changes that a draft makes. A tag also turns off build on push, because servers reject the two together. */
export function settingsDifference(
  before: Settings,
  draft: Settings,
  settings: readonly Setting[],
): SettingsDifference[] {
  const ref = draft['source_revision_config.repo_ref']
  const isTag = typeof ref === 'string' && isTagRef(ref.trim())
  return settings.flatMap((setting) => {
    const from = before[setting]
    const to = setting === 'source_config.build_on_push' && isTag ? false : trimmed(draft[setting])
    return to === null || to === from || (from === null && (to === '' || to === false)) ? [] : [{ setting, from, to }]
  })
}
const trimmed = (value: string | boolean | null) => (typeof value === 'string' ? value.trim() : value)

/** The update request for these changes. */
export function settingsPatch(change: SettingsChange): Record<string, Record<string, string | boolean>> {
  const patch: Record<string, Record<string, string | boolean>> = {}
  for (const [setting, value] of Object.entries(change)) {
    const [group = '', key = ''] = setting.split('.')
    patch[group] = { ...patch[group], [key]: value }
  }
  return patch
}

export const changeOf = (differences: readonly SettingsDifference[]): SettingsChange =>
  Object.fromEntries(differences.map(({ setting, to }) => [setting, to]))

/** Whether changing this setting creates a new revision. */
export const makesRevision = (setting: Setting): boolean => patchMakesRevision(settingsPatch({ [setting]: 'x' }))
