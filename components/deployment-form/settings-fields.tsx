'use client'
import { Checkbox } from '@/components/ui/checkbox'
import { makesRevision, type Setting, type Settings } from '@/lib/contracts/deployments/deployment-settings'
import { pushReason, RefField } from './ref-field'
import type { SettingIssues } from './settings-draft'
import { controlOf, LABELS } from './settings-labels'
import { TextField } from './text-field'

type SettingsFieldsProps = {
  workspace: string
  /** Where the branches are. */
  repository: { integration: string; url: string }
  settings: readonly Setting[]
  draft: Settings
  issues: SettingIssues
  onChange: (setting: Setting, value: string | boolean) => void
}

const HINTS: Partial<Record<Setting, string>> = {
  'source_revision_config.graph_config_path': 'Path of the file in the repository that lists the graphs.',
  'source_revision_config.image_uri': 'With tag or digest.',
  'source_config.install_command': 'Optional. Applies from the next build.',
  'source_config.build_command': 'Optional. Applies from the next build.',
  'source_config.custom_url': 'The URL of the agent server.',
}
const effect = (setting: Setting) => (makesRevision(setting) ? 'Creates a revision.' : 'Does not create a revision.')

/** The editable settings, each with the effect of changing it. */
export const SettingsFields = ({ workspace, repository, settings, draft, issues, onChange }: SettingsFieldsProps) =>
  settings.map((setting) =>
    setting === 'source_config.build_on_push' ? (
      <PushField key={setting} draft={draft} issue={issues[setting]} onChange={(value) => onChange(setting, value)} />
    ) : setting === 'source_revision_config.repo_ref' ? (
      <RefField
        key={setting}
        id={controlOf(setting)}
        workspace={workspace}
        integration={repository.integration}
        repository={repository.url}
        value={String(draft[setting] ?? '')}
        error={issues[setting]}
        onChange={(value) => onChange(setting, value)}
      >
        {effect(setting)}
      </RefField>
    ) : (
      <TextField
        key={setting}
        id={controlOf(setting)}
        label={LABELS[setting]}
        className={setting.endsWith('_command') ? '[&_input]:font-mono' : 'sm:col-span-2'}
        value={String(draft[setting] ?? '')}
        error={issues[setting]}
        hint={
          <>
            {HINTS[setting]} {effect(setting)}
          </>
        }
        onChange={(value) => onChange(setting, value)}
      />
    ),
  )

type PushFieldProps = { draft: Settings; issue?: string; onChange: (value: boolean) => void }

function PushField({ draft, issue, onChange }: PushFieldProps) {
  const noPush = pushReason(String(draft['source_revision_config.repo_ref'] ?? ''))
  return (
    <div className="sm:col-span-2">
      <Checkbox
        label="Build on push"
        hint={noPush ?? 'Each push to the branch creates a revision. Changing this setting does not.'}
        checked={draft['source_config.build_on_push'] === true && noPush === undefined}
        disabled={noPush !== undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      {issue ? (
        <p role="alert" className="text-error text-xs">
          {issue}
        </p>
      ) : null}
    </div>
  )
}
