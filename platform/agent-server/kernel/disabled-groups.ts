import { z } from 'zod'

const Flag = z.boolean().nullish()

/** The groups of routes that `http` of the graph configuration file can switch off. */
export const DisabledGroups = {
  disable_assistants: Flag,
  disable_threads: Flag,
  disable_runs: Flag,
  disable_store: Flag,
  disable_mcp: Flag,
  disable_a2a: Flag,
  disable_meta: Flag,
  disable_webhooks: Flag,
}
type Group = Exclude<keyof typeof DisabledGroups, 'disable_webhooks'>

/** In this order, because a run of a thread is a run. `/ok` stays, because the platform asks it. */
const GROUPS: [group: Group, path: RegExp][] = [
  ['disable_runs', /^\/(threads\/\{thread_id\}\/)?runs(\/|$)|^\/threads\/\{thread_id\}\/(commands|stream)/],
  ['disable_threads', /^\/threads(\/|$)/],
  ['disable_assistants', /^\/assistants(\/|$)/],
  ['disable_store', /^\/store\//],
  ['disable_mcp', /^\/mcp\//],
  ['disable_a2a', /^\/a2a\/|^\/\.well-known\//],
  ['disable_meta', /^\/(info|metrics|docs|openapi\.json)$/],
]

/** Whether a row of the operation table is switched off. */
export const isDisabled = (path: string, config: Partial<Record<Group, boolean | null | undefined>>): boolean => {
  const [group] = GROUPS.find(([, pattern]) => pattern.test(path)) ?? []
  return group !== undefined && config[group] === true
}
