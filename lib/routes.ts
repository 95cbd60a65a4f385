import type { Route } from 'next'

/** Builds a URL path with encoded segments. Empty query parameters are omitted. */
const at = (segments: string[], query: Record<string, string | undefined> = {}): Route => {
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  ).toString()
  return `/${segments.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}` as Route
}

type ListedRun = { recording: string | null; deployment: string; thread: string | null; run: string | null }

/** Every URL of the console. `w` is the workspace slug, `d` a deployment id. */
export const routes = {
  /** `isEnded` makes the page say that the session has ended. */
  signIn: (callbackUrl?: string, { isEnded = false } = {}) =>
    at(['sign-in'], { callbackUrl, ended: isEnded ? '1' : undefined }),
  /** GET with a token signs in; POST prints a new link in the terminal. */
  signInLink: (token?: string) => at(['sign-in', 'link'], { token }),
  /** POST: what the browser needs to sign in with a passkey. */
  signInPasskey: () => at(['sign-in', 'passkey']),
  signOut: () => at(['sign-out']),
  /** Where an initial password is changed. */
  newPassword: (callbackUrl?: string) => at(['new-password'], { callbackUrl }),
  /** Where an invited person joins. The token follows as a fragment. */
  invite: () => at(['invite']),
  openInvitation: () => at(['invite', 'open']),
  acceptInvitation: () => at(['invite', 'accept']),
  workspace: (w: string) => at([w]),
  deployments: (w: string, query?: Record<string, string | undefined>) => at([w, 'deployments'], query),
  newDeployment: (w: string) => at([w, 'deployments', 'new']),
  deployment: (w: string, d: string) => at([w, 'deployments', d]),
  revisions: (w: string, d: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'revisions'], query),
  revision: (w: string, d: string, revision: string) => at([w, 'deployments', d, 'revisions', revision]),
  /** Two revisions side by side; the older one is `a`. */
  compareRevisions: (w: string, d: string, a?: string, b?: string) =>
    at([w, 'deployments', d, 'revisions', 'compare'], { a, b }),
  /** A download with all deployments that match the list's filters. */
  deploymentsFile: (w: string, query: Record<string, string | undefined>) =>
    at(['api', 'export', w, 'deployments'], query),
  /** The logs of all revisions. */
  logs: (w: string, d: string, query?: Record<string, string | undefined>) => at([w, 'deployments', d, 'logs'], query),
  /** A download, not a page. Without a revision, of all of them. */
  logFile: (w: string, d: string, revision = 'all', type: string, query?: Record<string, string | undefined>) =>
    at(['api', 'logs', w, d, revision, type], query),
  /** The settings of a deployment; `settings` is the workspace's. */
  deploymentSettings: (w: string, d: string) => at([w, 'deployments', d, 'settings']),
  deploymentDanger: (w: string, d: string) => at([w, 'deployments', d, 'settings', 'danger']),
  deploymentSecrets: (w: string, d: string) => at([w, 'deployments', d, 'settings', 'secrets']),
  deploymentResources: (w: string, d: string) => at([w, 'deployments', d, 'settings', 'resources']),
  assistants: (w: string, d: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'assistants'], query),
  newAssistant: (w: string, d: string, query?: { graph?: string }) =>
    at([w, 'deployments', d, 'assistants', 'new'], query),
  assistant: (w: string, d: string, assistant: string, query?: { tab?: string }) =>
    at([w, 'deployments', d, 'assistants', assistant], query),
  editAssistant: (w: string, d: string, assistant: string) =>
    at([w, 'deployments', d, 'assistants', assistant, 'edit']),
  /** Two versions side by side; the older one is `a`. */
  compareVersions: (w: string, d: string, assistant: string, query?: { a?: string; b?: string }) =>
    at([w, 'deployments', d, 'assistants', assistant, 'compare'], query),
  threads: (w: string, d: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'threads'], query),
  thread: (w: string, d: string, thread: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'threads', thread], query),
  /** A conversation with a thread, or a new one. */
  chat: (w: string, d: string, thread?: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'chat', ...(thread ? [thread] : [])], query),
  runs: (w: string, d: string, query?: Record<string, string | undefined>) => at([w, 'deployments', d, 'runs'], query),
  /**
   * Starts recording a run that was started elsewhere, then redirects to the recording. Without a thread it redirects to the
   * recording or, if there is none, to the trace.
   */
  joinRun: (w: string, d: string, thread: string | undefined, run: string) =>
    at([w, 'deployments', d, 'runs', 'join'], { thread, run }),
  /** A run of a list. Opening one without a recording starts one. */
  run: (w: string, { recording, deployment: d, thread, run }: ListedRun) =>
    recording || !thread || !run ? routes.recording(w, d, recording ?? '') : routes.joinRun(w, d, thread, run),
  /** `from` is a recording whose request fills the form; the run continues from `checkpoint`. */
  newRun: (w: string, d: string, query?: { assistant?: string; thread?: string; from?: string; checkpoint?: string }) =>
    at([w, 'deployments', d, 'runs', 'new'], query),
  /** `at` is the selected entry and `lens` the view. */
  recording: (w: string, d: string, recording: string, query?: { lens?: string; at?: string }) =>
    at([w, 'deployments', d, 'runs', recording], query),
  /** A download, not a page. */
  recordingFile: (w: string, d: string, recording: string) => at([w, 'deployments', d, 'runs', recording, 'file']),
  allRuns: (w: string, query?: Record<string, string | undefined>) => at([w, 'runs'], query),
  /** The threads of all deployments. */
  allThreads: (w: string, query?: Record<string, string | undefined>) => at([w, 'threads'], query),
  crons: (w: string, d: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'crons'], query),
  cron: (w: string, d: string, cron: string) => at([w, 'deployments', d, 'crons', cron]),
  store: (w: string, d: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'store'], query),
  /** `tool` is the open one. */
  mcp: (w: string, d: string, query?: { tool?: string }) => at([w, 'deployments', d, 'mcp'], query),
  /** `assistant` receives the messages. */
  a2a: (w: string, d: string, query?: { assistant?: string }) => at([w, 'deployments', d, 'a2a'], query),
  system: (w: string, d: string) => at([w, 'deployments', d, 'system']),
  /** `deployment` and `thread` open a waiting thread; `interrupt` selects one of its questions. */
  inbox: (w: string, query?: { deployment?: string; thread?: string; interrupt?: string }) => at([w, 'inbox'], query),
  /** The deployment's tracing project. */
  traces: (w: string, d: string, query?: Record<string, string | undefined>) =>
    at([w, 'deployments', d, 'traces'], query),
  trace: (w: string, d: string, trace: string, query?: { run?: string }) =>
    at([w, 'deployments', d, 'traces', trace], query),
  /** Redirects to the trace of a run as soon as it has been logged. */
  traceOfRun: (w: string, d: string, run: string) => at([w, 'deployments', d, 'traces', 'of-run', run]),
  /** A download, not a page. */
  traceFile: (w: string, trace: string) => at(['api', 'traces', w, trace, 'file']),
  compareTraces: (w: string, d: string, a?: string, b?: string) =>
    at([w, 'deployments', d, 'traces', 'compare'], { a, b }),
  /** The traces of all projects of the workspace. */
  allTraces: (w: string, query?: Record<string, string | undefined>) => at([w, 'traces'], query),
  tracingProjects: (w: string) => at([w, 'traces', 'projects']),
  projectTraces: (w: string, project: string, query?: Record<string, string | undefined>) =>
    at([w, 'traces', 'projects', project], query),
  projectTrace: (w: string, project: string, trace: string, query?: { run?: string }) =>
    at([w, 'traces', 'projects', project, trace], query),
  compareProjectTraces: (w: string, project: string, a?: string, b?: string) =>
    at([w, 'traces', 'projects', project, 'compare'], { a, b }),
  checkTrace: (w: string) => at([w, 'traces', 'check']),
  /** Two recordings side by side, by id. */
  compareRuns: (w: string, a?: string, b?: string) => at([w, 'runs', 'compare'], { a, b }),
  experiments: (w: string) => at([w, 'experiments']),
  /** `again` is an experiment to repeat; `versions` and `revisions` each become a column, with commas between. */
  newExperiment: (
    w: string,
    query?: { deployment?: string; assistant?: string; versions?: string; revisions?: string; again?: string },
  ) => at([w, 'experiments', 'new'], query),
  experiment: (w: string, experiment: string) => at([w, 'experiments', experiment]),
  /** A download, not a page. */
  experimentFile: (w: string, experiment: string, format: 'csv' | 'jsonl') =>
    at(['api', 'export', w, 'experiments', experiment], { format }),
  /** Opens a recording from an exported file. */
  openRun: (w: string) => at([w, 'runs', 'open']),
  /** The same without an account. */
  openFile: () => at(['public', 'open']),
  /** A recording for anyone with its public link, whose token follows after `#`, so that no server logs it. */
  publicRun: (query?: Record<string, string | undefined>) => at(['public', 'run'], query),
  audit: (w: string, query?: Record<string, string | undefined>) => at([w, 'audit'], query),
  /** A download with all actions that match the filters. */
  auditFile: (w: string, query: Record<string, string | undefined>) => at(['api', 'export', w, 'audit'], query),
  /** A download with the entries of all workspaces that no file holds yet. */
  auditTrailFile: () => at(['api', 'export', 'audit-trail']),
  alerts: (w: string, query?: Record<string, string | undefined>) => at([w, 'alerts'], query),
  members: (w: string) => at([w, 'members']),
  /** The sessions of a member. */
  memberSessions: (w: string, account: string) => at([w, 'members', account]),
  /** The user's own account. */
  account: (w: string) => at([w, 'account']),
  settings: (w: string) => at([w, 'settings']),
  prices: (w: string) => at([w, 'settings', 'prices']),
  /** The tokens of the HTTP API. */
  tokens: (w: string) => at([w, 'settings', 'tokens']),
  /** Public links to runs. */
  sharing: (w: string) => at([w, 'settings', 'sharing']),
  /** `listener` is the open one. */
  listeners: (w: string, query?: Record<string, string | undefined>) => at([w, 'settings', 'listeners'], query),
  retention: (w: string) => at([w, 'settings', 'retention']),
}

/** How many pages of a deployment are tabs; the rest are under More. */
export const TAB_COUNT = 7

/** The pages of a deployment, in the order of its navigation. */
export const deploymentParts = (w: string, d: string): { label: string; href: Route }[] => [
  { label: 'Overview', href: routes.deployment(w, d) },
  { label: 'Chat', href: routes.chat(w, d) },
  { label: 'Runs', href: routes.runs(w, d) },
  { label: 'Threads', href: routes.threads(w, d) },
  { label: 'Revisions', href: routes.revisions(w, d) },
  { label: 'Logs', href: routes.logs(w, d) },
  { label: 'Traces', href: routes.traces(w, d) },
  { label: 'Assistants', href: routes.assistants(w, d) },
  { label: 'Crons', href: routes.crons(w, d) },
  { label: 'Store', href: routes.store(w, d) },
  { label: 'MCP', href: routes.mcp(w, d) },
  { label: 'A2A', href: routes.a2a(w, d) },
  { label: 'System', href: routes.system(w, d) },
  { label: 'Settings', href: routes.deploymentSettings(w, d) },
]
