import type { Setting } from '@/lib/contracts/deployments/deployment-settings'

export const LABELS: Record<Setting, string> = {
  'source_revision_config.repo_ref': 'Branch or tag',
  'source_revision_config.graph_config_path': 'Graph config',
  'source_revision_config.image_uri': 'Image',
  'source_config.build_on_push': 'Build on push',
  'source_config.install_command': 'Install command',
  'source_config.build_command': 'Build command',
  'source_config.custom_url': 'Agent server URL',
}

/** The element id of a setting's control. */
export const controlOf = (setting: Setting): string => `setting-${setting.split('.')[1]}`

/** A setting's value as text. */
export const valueText = (value: string | boolean | null): string =>
  value === null || value === '' ? 'not set' : typeof value === 'boolean' ? (value ? 'on' : 'off') : value
