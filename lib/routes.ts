import type { Route } from 'next'

/** Builds a path of the console; each segment is encoded, the query left out when empty. */
const at = (segments: string[], query: Record<string, string | undefined> = {}): Route => {
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  ).toString()
  return `/${segments.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}` as Route
}

/** Every URL of the console. `w` is the workspace slug, `d` a deployment id. */
export const routes = {
  signIn: (callbackUrl?: string) => at(['sign-in'], { callbackUrl }),
  workspace: (w: string) => at([w]),
  deployments: (w: string, query?: Record<string, string | undefined>) => at([w, 'deployments'], query),
  deployment: (w: string, d: string) => at([w, 'deployments', d]),
  assistants: (w: string, d: string) => at([w, 'deployments', d, 'assistants']),
  threads: (w: string, d: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'threads'], query),
  thread: (w: string, d: string, thread: string) => at([w, 'deployments', d, 'threads', thread]),
  runs: (w: string, d: string) => at([w, 'deployments', d, 'runs']),
  newRun: (w: string, d: string, query?: { assistant?: string; thread?: string }) =>
    at([w, 'deployments', d, 'runs', 'new'], query),
  recording: (w: string, d: string, recording: string) => at([w, 'deployments', d, 'runs', recording]),
  allRuns: (w: string) => at([w, 'runs']),
  audit: (w: string) => at([w, 'audit']),
  members: (w: string) => at([w, 'members']),
  settings: (w: string) => at([w, 'settings']),
}
