import { commandProblem } from '@/lib/contracts/deployments/deployment-rules'
import {
  mayBeEmpty,
  type Setting,
  type Settings,
  type SettingsDifference,
} from '@/lib/contracts/deployments/deployment-settings'
import type { ErrorView } from '@/lib/errors'

export type SettingIssues = Readonly<Partial<Record<Setting, string>>>

/** What is wrong with a draft, by setting. */
export function settingIssues(differences: readonly SettingsDifference[]): SettingIssues {
  const issues = differences.flatMap(({ setting, to }) => {
    const message = typeof to === 'string' ? issueOf(setting, to) : undefined
    return message === undefined ? [] : [[setting, message] as const]
  })
  return Object.fromEntries(issues)
}

function issueOf(setting: Setting, to: string): string | undefined {
  if (to === '' && !mayBeEmpty(setting)) return 'It can be replaced, and not taken away'
  if (setting.endsWith('_command')) return commandProblem(to)
  if (setting === 'source_config.custom_url' && !(/^https?:\/\//i.test(to) && URL.canParse(to)))
    return 'This is no http or https address'
  return undefined
}

/** A refused save, split into what belongs to a setting and what is said above the button. */
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
  return { issues, rest: { ...error, message: 'The server also refused:', fields: unplaced } }
}

/** One setting as both began with, as I want it, and as it is now. */
export type SettingConflict = {
  setting: Setting
  base: string | boolean | null
  mine: string | boolean | null
  theirs: string | boolean | null
}

/** What I or they changed; where I changed nothing, theirs stands anyway. */
export const settingConflicts = (
  base: Settings,
  mine: Settings,
  theirs: Settings,
  settings: readonly Setting[],
): SettingConflict[] =>
  settings
    .map((setting) => ({ setting, base: base[setting], mine: mine[setting], theirs: theirs[setting] }))
    .filter((row) => row.theirs !== row.base || row.mine !== row.base)

/** My draft on top of what they made of it: theirs where I changed nothing, or gave in. */
export const rebased = (rows: readonly SettingConflict[], theirs: Settings, given: readonly Setting[]): Settings => ({
  ...theirs,
  ...Object.fromEntries(
    rows
      .filter(({ setting, base, mine }) => mine !== base && !given.includes(setting))
      .map(({ setting, mine }) => [setting, mine]),
  ),
})
