import { commandProblem } from '@/lib/contracts/deployments/deployment-rules'
import {
  mayBeEmpty,
  type Setting,
  type Settings,
  type SettingsDifference,
} from '@/lib/contracts/deployments/deployment-settings'
import type { ErrorView } from '@/lib/errors'

export type SettingIssues = Readonly<Partial<Record<Setting, string>>>

/** Validation errors of a draft, by setting. */
export function settingIssues(differences: readonly SettingsDifference[]): SettingIssues {
  const issues = differences.flatMap(({ setting, to }) => {
    const message = typeof to === 'string' ? issueOf(setting, to) : undefined
    return message === undefined ? [] : [[setting, message] as const]
  })
  return Object.fromEntries(issues)
}

function issueOf(setting: Setting, to: string): string | undefined {
  if (to === '' && !mayBeEmpty(setting)) return 'Cannot be empty'
  if (setting.endsWith('_command')) return commandProblem(to)
  if (setting === 'source_config.custom_url' && !(/^https?:\/\//i.test(to) && URL.canParse(to)))
    return 'Enter an http or https URL'
  return undefined
}

/** Splits the error of a rejected save into errors per setting and the rest, shown above the button. */
export function placeSettingIssues(
  error: ErrorView,
  settings: readonly Setting[],
): { issues: SettingIssues; rest?: ErrorView } {
  const issues: Partial<Record<Setting, string>> = {}
  const unplaced = error.fields.filter(({ path, message }) => {
    const setting = settings.find((one) => path.some((part) => part === one.split('.')[1]))
    if (setting) issues[setting] ??= message
    return !setting
  })
  if (Object.keys(issues).length === 0) return { issues, rest: error }
  if (unplaced.length === 0) return { issues }
  return { issues, rest: { ...error, message: 'The server also rejected:', fields: unplaced } }
}

/** One setting in three versions: before, mine and theirs. */
export type SettingConflict = {
  setting: Setting
  base: string | boolean | null
  mine: string | boolean | null
  theirs: string | boolean | null
}

/** The settings that both sides may have changed. Without a change of mine, theirs is used anyway. */
export const settingConflicts = (
  base: Settings,
  mine: Settings,
  theirs: Settings,
  settings: readonly Setting[],
): SettingConflict[] =>
  settings
    .map((setting) => ({ setting, base: base[setting], mine: mine[setting], theirs: theirs[setting] }))
    .filter((row) => row.theirs !== row.base || row.mine !== row.base)

/** My draft on top of theirs: theirs where I changed nothing or gave up my change. */
export const rebased = (rows: readonly SettingConflict[], theirs: Settings, given: readonly Setting[]): Settings => ({
  ...theirs,
  ...Object.fromEntries(
    rows
      .filter(({ setting, base, mine }) => mine !== base && !given.includes(setting))
      .map(({ setting, mine }) => [setting, mine]),
  ),
})
