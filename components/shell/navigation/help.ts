/** Pages of the documentation by page of the console: the first pattern that fits the path below the workspace. */
const HELP: [RegExp, string][] = [
  [/^deployments\/[^/]+\/chat/, 'use/chat'],
  [/^deployments\/[^/]+\/runs\/(?!new|join)[^/]+/, 'use/run'],
  [/^deployments\/[^/]+\/runs/, 'use/runs'],
  [/^deployments\/[^/]+\/threads\/[^/]+/, 'use/threads#a-thread'],
  [/^deployments\/[^/]+\/threads/, 'use/threads'],
  [/^deployments\/[^/]+\/revisions/, 'use/revisions'],
  [/^deployments\/[^/]+\/logs/, 'use/logs'],
  [/^deployments\/[^/]+\/traces\/[^/]+/, 'use/traces#a-trace'],
  [/^deployments\/[^/]+\/traces/, 'use/traces'],
  [/^deployments\/[^/]+\/assistants/, 'use/assistants'],
  [/^deployments\/[^/]+\/crons/, 'use/crons'],
  [/^deployments\/[^/]+\/store/, 'use/store'],
  [/^deployments\/[^/]+\/(mcp|a2a)/, 'use/protocols'],
  [/^deployments\/[^/]+\/system/, 'use/system'],
  [/^deployments\/[^/]+\/settings/, 'use/deployment-settings'],
  [/^deployments\/new/, 'use/deployments#deploy-a-repository'],
  [/^deployments\/[^/]+/, 'use/overview'],
  [/^deployments/, 'use/deployments'],
  [/^experiments/, 'use/experiments'],
  [/^runs/, 'use/runs'],
  [/^threads/, 'use/threads'],
  [/^traces\/projects\/[^/]+\/[^/]+/, 'use/traces#a-trace'],
  [/^traces/, 'use/traces'],
  [/^inbox/, 'use/inbox'],
  [/^alerts/, 'use/alerts'],
  [/^audit/, 'use/audit'],
  [/^members/, 'use/members'],
  [/^account/, 'use/members#your-account'],
  [/^settings\/listeners/, 'use/settings#listeners'],
  [/^settings\/tokens/, 'use/settings#api-tokens'],
  [/^settings/, 'use/settings'],
]

/** The documentation of the page at this path. */
export function helpFor(pathname: string): `/docs/${string}` {
  const [, , ...rest] = pathname.split('/')
  const below = rest.join('/')
  return `/docs/${HELP.find(([pattern]) => pattern.test(below))?.[1] ?? 'use/home'}`
}
