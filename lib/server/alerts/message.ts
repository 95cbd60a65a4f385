import 'server-only'
import type { AlertMessage } from '@/lib/contracts/alerts/alerts'
import { printable } from '../process/log'

// A message in the form of each kind of channel. Names come from upstreams, so they are escaped where a format needs it.

type Alert = AlertMessage['alerts'][number]
const stateOf = ({ event }: Alert) => (event === 'fired' ? 'firing' : 'resolved')

/** The JSON of a webhook. */
export const webhookBody = (id: string, { workspace, alerts, url }: AlertMessage): string =>
  JSON.stringify({
    id,
    workspace,
    url,
    alerts: alerts.map((alert) => ({
      rule: { id: alert.rule, name: alert.ruleName },
      state: stateOf(alert),
      subject: alert.subject,
      name: alert.name,
      deployment: alert.deployment,
      detail: alert.detail,
      at: alert.at,
      url: alert.url,
    })),
  })

const slackText = (text: string) =>
  printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦')

/** The JSON that Slack and compatible chat services take. */
export const slackBody = ({ alerts, url, workspace }: AlertMessage): string =>
  JSON.stringify({
    text: [
      ...alerts.map(
        (alert) =>
          `${alert.event === 'fired' ? ':red_circle: Firing' : ':white_check_mark: Resolved'}: *${slackText(alert.ruleName)}* – <${alert.url}|${slackText(alert.name)}>: ${slackText(alert.detail)}`,
      ),
      `<${url}|Alerts of ${slackText(workspace)}>`,
    ].join('\n'),
  })

export const mailText = ({ alerts, url, workspace }: AlertMessage): string =>
  [
    ...alerts.map(
      (alert) =>
        `${alert.event === 'fired' ? 'FIRING' : 'Resolved'}: ${printable(alert.ruleName)}\n${printable(alert.name)}: ${printable(alert.detail)}\n${alert.at}\n${alert.url}\n`,
    ),
    `Workspace ${workspace}: ${url}`,
  ].join('\n')
