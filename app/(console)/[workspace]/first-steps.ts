import 'server-only'
import type { FirstStep } from '@/components/shell/tour/first-steps'
import { routes } from '@/lib/routes'
import type { Actor } from '@/lib/server/access/actor'
import { readAlerts } from '@/lib/server/records/alerts'
import { listTokens } from '@/lib/server/records/api-tokens'
import { listMembers } from '@/lib/server/records/members'
import { readFleet } from '@/lib/server/resources/fleet'

/** Deployments of the samples, by name. */
const SAMPLES = ['concierge', 'workbench', 'assistant']

/** The first steps of an administrator. Empty if all are done, or if what is done cannot be read. */
export async function firstSteps(workspace: string, actor: Actor, hasRuns: boolean): Promise<FirstStep[]> {
  const read = Promise.all([
    readFleet(workspace, {}, { actor }),
    listMembers(actor, workspace),
    readAlerts(actor, workspace),
    listTokens(actor, workspace),
  ])
  const found = await read.catch(() => undefined)
  if (!found) return []
  const [fleet, members, alerts, tokens] = found
  const steps = [
    { label: 'Talk to an agent', isDone: hasRuns, href: routes.workspace(workspace), help: '/docs/use/chat' },
    {
      label: 'Deploy an agent of your own',
      isDone: fleet.rows.some(({ name }) => !SAMPLES.includes(name)),
      href: routes.newDeployment(workspace),
      help: '/docs/use/deployments#deploy-a-repository',
    },
    {
      label: 'Add a colleague',
      isDone: members.length > 1,
      href: routes.members(workspace),
      help: '/docs/use/members',
    },
    {
      label: 'Be told when a deployment fails',
      isDone: alerts.rules.length > 0,
      href: routes.alerts(workspace, { tab: 'rules' }),
      help: '/docs/use/alerts',
    },
    {
      label: 'Use the HTTP API from a script',
      isDone: tokens.length > 0,
      href: routes.tokens(workspace),
      help: '/docs/use/settings#api-tokens',
    },
  ]
  return steps.every(({ isDone }) => isDone) ? [] : steps
}
