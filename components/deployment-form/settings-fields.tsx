'use client'
import { Checkbox } from '@/components/ui/checkbox'
import { makesRevision, type Setting, type Settings } from '@/lib/contracts/deployments/deployment-settings'
import { pushReason, RefHint } from './ref-hint'
import type { SettingIssues } from './settings-draft'
import { controlOf, LABELS } from './settings-labels'
import { TextField } from './text-field'

type SettingsFieldsProps = {
  settings: readonly Setting[]
  draft: Settings
  issues: SettingIssues
  onChange: (setting: Setting, value: string | boolean) => void
}

const HINTS: Partial<Record<Setting, string>> = {
  'source_revision_config.graph_config_path': 'The path of the file in the repository that names its graphs.',
  'source_revision_config.image_uri': 'With its tag or digest.',
  'source_config.install_command': 'Optional. Counts from the next build on.',
  'source_config.build_command': 'Optional. Counts from the next build on.',
  'source_config.custom_url': 'Where the agent server is reached.',
}
const effect = (setting: Setting) => (makesRevision(setting) ? 'Makes a new revision.' : 'Makes no new revision.')

/** The settings that can be changed, each with what changing it sets off. */
export const SettingsFields = ({ settings, draft, issues, onChange }: SettingsFieldsProps) =>
  settings.map((setting) =>
    setting === 'source_config.build_on_push' ? (
      <PushField key={setting} draft={draft} issue={issues[setting]} onChange={(value) => onChange(setting, value)} />
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
            {setting === 'source_revision_config.repo_ref' ? (
              <RefHint value={String(draft[setting] ?? '')} />
            ) : (
              HINTS[setting]
            )}{' '}
            {effect(setting)}
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
        hint={noPush ?? `Each push to the branch makes a new revision. ${effect('source_config.build_on_push')}`}
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
