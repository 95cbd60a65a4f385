import 'server-only'
import { patchProblems } from '@/lib/contracts/deployments/deployment-rules'
import {
  SETTINGS,
  type Settings,
  type SettingsChange,
  settingsOf,
  settingsPatch,
} from '@/lib/contracts/deployments/deployment-settings'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { EditSnapshot, SavedEdit } from '@/lib/edit'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { editDeployment, readForEdit } from '../edits/edit-deployment'

export type SettingsView = { source: string; settings: Settings; snapshot: EditSnapshot }

/** A deployment's settings. Throws AppError forbidden for users who may not change them. */
export async function readSettings(place: DeploymentPlace, actor: Actor): Promise<SettingsView> {
  const { current, snapshot } = await readForEdit(place, SETTINGS, { actor })
  return { source: current.source ?? '', settings: settingsOf(current), snapshot }
}

export type SettingsEdit = { place: DeploymentPlace; key: string; snapshot: EditSnapshot; change: SettingsChange }

/** Saves reviewed settings. Throws AppError conflict if they are no longer as the user saw them. */
export async function saveSettings({ place, key, snapshot, change }: SettingsEdit, actor: Actor): Promise<SavedEdit> {
  return await editDeployment({
    place,
    key,
    snapshot,
    actor,
    input: change,
    paths: SETTINGS,
    build: (current) => {
      const patch = settingsPatch(change)
      const problems = patchProblems(
        {
          source: current.source ?? '',
          source_config: current.source_config,
          source_revision_config: current.source_revision_config,
        },
        patch,
      )
      if (problems.length > 0)
        throw new AppError('invalid', 'Some settings cannot be saved like this.', { fields: problems })
      return patch
    },
  })
}
