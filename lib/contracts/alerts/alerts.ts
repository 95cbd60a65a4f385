/** What a rule watches, with its settings and how it is told. Shared by forms, the evaluator and messages. */
export const ALERT_KINDS = {
  unhealthy: { label: 'Deployment unhealthy', hint: 'A deployment is failing.', fields: ['minutes'] },
  failed_revision: { label: 'Build or roll-out failed', hint: 'The latest revision failed.', fields: [] },
  error_rate: {
    label: 'Error rate',
    hint: 'The share of failed runs in a window, from traces.',
    fields: ['percent', 'window', 'runs'],
  },
  latency: {
    label: 'Latency p95',
    hint: 'The p95 of runs in a window, from traces.',
    fields: ['seconds', 'window', 'runs'],
  },
  waiting: { label: 'Waiting for input', hint: 'A thread has waited for an answer.', fields: ['minutes'] },
  cron_failed: { label: 'Cron failed', hint: 'The last run of a cron failed.', fields: [] },
  unreachable: {
    label: 'Upstream unreachable',
    hint: 'The control plane, the tracing server or an agent server cannot be reached.',
    fields: ['minutes'],
  },
} as const satisfies Record<string, { label: string; hint: string; fields: readonly AlertField[] }>
export type AlertKind = keyof typeof ALERT_KINDS

/** The numbers that rules have, with their limits. */
export const ALERT_FIELDS = {
  minutes: { label: 'For at least (minutes)', min: 0, max: 10_080, usual: 5 },
  percent: { label: 'Above (percent)', min: 1, max: 100, usual: 10 },
  seconds: { label: 'Above (seconds)', min: 0.1, max: 86_400, usual: 30 },
  window: { label: 'Window (minutes)', min: 5, max: 1_440, usual: 15 },
  runs: { label: 'At least (runs)', min: 1, max: 100_000, usual: 10 },
} as const
export type AlertField = 'minutes' | 'percent' | 'seconds' | 'window' | 'runs'
export type AlertSettings = Partial<Record<AlertField, number>>

export type AlertRule = {
  id: string
  name: string
  kind: AlertKind
  settings: AlertSettings
  /** The only deployments that it watches; null: all. */
  deployments: string[] | null
  channels: string[]
  isEnabled: boolean
}

export type AlertPhase = 'ok' | 'pending' | 'firing'

/** One thing that a rule watches and that is not fine, or not known. */
export type AlertState = {
  rule: string
  /** A deployment's id, or the name of an upstream. */
  subject: string
  name: string
  /** The deployment of the subject, if it is one. */
  deployment: string | null
  phase: AlertPhase
  /** The last reading failed, so the phase is the one before it. */
  isUnknown: boolean
  detail: string
  /** Since when it is in this phase. */
  since: string
  checkedAt: string
}

export type AlertEvent = {
  id: string
  rule: string
  ruleName: string
  subject: string
  name: string
  deployment: string | null
  event: 'fired' | 'resolved'
  detail: string
  at: string
  /** Nobody was told, because a silence applied. */
  isSilenced: boolean
}

export const CHANNEL_KINDS = {
  webhook: 'Webhook',
  slack: 'Slack-compatible webhook',
  email: 'E-mail',
} as const
export type ChannelKind = keyof typeof CHANNEL_KINDS

/** A channel as it may be shown: never its secret, and of an address that is a secret only the host. */
export type AlertChannel = { id: string; name: string; kind: ChannelKind; target: string; hasSecret: boolean }

export type AlertDelivery = {
  id: string
  channel: string
  channelName: string
  subject: string
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  /** The last failure. */
  problem: string | null
  isTest: boolean
  createdAt: string
  endedAt: string | null
  nextAt: string | null
}

export type AlertSilence = {
  id: string
  /** Null: every rule. */
  rule: string | null
  /** Null: every deployment. */
  deployment: string | null
  reason: string
  by: string
  until: string
}

export type AlertsView = {
  /** `watched`: how many things were found for the rule since it was saved; 0 before its first round. */
  rules: (AlertRule & { watched: number })[]
  channels: AlertChannel[]
  states: AlertState[]
  silences: AlertSilence[]
  /** Newest first. */
  events: AlertEvent[]
  deliveries: AlertDelivery[]
  /** When the rules were last evaluated; null if never. */
  evaluatedAt: string | null
  /** Why e-mail cannot be sent; null if it can. */
  mailProblem: string | null
}

/** What a channel is sent. */
export type AlertMessage = {
  workspace: string
  alerts: (Pick<AlertEvent, 'rule' | 'ruleName' | 'subject' | 'name' | 'deployment' | 'event' | 'detail' | 'at'> & {
    url: string
  })[]
  /** The alerts page. */
  url: string
}

export const SILENCE_HOURS = [1, 4, 24, 168] as const
/** How often the rules are evaluated. */
export const ALERT_EVERY_MS = 15_000

/** A rule in words: "failing for at least 5 min". */
export function describeRule({ kind, settings }: Pick<AlertRule, 'kind' | 'settings'>): string {
  const of = (field: AlertField) => settings[field] ?? ALERT_FIELDS[field].usual
  const after = of('minutes') === 0 ? '' : ` for at least ${of('minutes')} min`
  const among = ` over ${of('window')} min, with at least ${of('runs')} ${of('runs') === 1 ? 'run' : 'runs'}`
  switch (kind) {
    case 'unhealthy':
      return `failing${after}`
    case 'failed_revision':
      return 'the latest build or roll-out failed'
    case 'error_rate':
      return `more than ${of('percent')} % failed${among}`
    case 'latency':
      return `p95 above ${of('seconds')} s${among}`
    case 'waiting':
      return `waiting for input${after}`
    case 'cron_failed':
      return 'the last run of a cron failed'
    case 'unreachable':
      return `not reachable${after}`
  }
}
