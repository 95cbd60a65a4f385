import { AUDIT_ACTIONS } from './actions'

/** What an entry of the trail says about an action. */
export type AuditFacts = {
  operation: string
  params: Record<string, string>
  /** Names of the fields sent; edits of secrets are `secrets.set.NAME` and so on. */
  fields: readonly string[]
}

/** How an action ended. `unknown`: its outcome was not recorded, for example because the console stopped. */
export const AUDIT_OUTCOMES = { done: 'Done', failed: 'Failed', denied: 'Denied', unknown: 'Outcome unknown' } as const
export type AuditOutcome = keyof typeof AUDIT_OUTCOMES

/** A part of a sentence: text, a name in code, or the id of a deployment or account, which is shown by its name. */
export type Phrase = string | { code: string } | { deployment: string } | { account: string }

/** What an action did, to follow the name of who did it: "removed secret A from", then a deployment. */
export function auditSentence(facts: AuditFacts, outcome: AuditOutcome): Phrase[] {
  const secrets = facts.operation === 'control-plane.updateDeployment' ? secretEdits(facts.fields) : []
  const isDone = outcome === 'done'
  const before = isDone ? [] : ['tried to ']
  if (secrets.length > 0) {
    const named = secrets.flatMap(({ verb, past, names }, index): Phrase[] => [
      ...(index > 0 ? [', '] : []),
      `${isDone ? past : verb} ${names.length === 1 ? 'secret' : 'secrets'} `,
      ...names.flatMap((name, at): Phrase[] => [...(at > 0 ? [', '] : []), { code: name }]),
    ])
    return [...before, ...named, ' of ', ...filled('{deployment}', facts.params)]
  }
  const [, verb, past, object] = AUDIT_ACTIONS[facts.operation] ?? (['', 'use', 'used', ''] as const)
  if (!object) return [...before, `${isDone ? past : verb} `, { code: facts.operation }]
  const named = facts.params.name === undefined ? undefined : NAMED[facts.operation]
  if (named) return [...before, `${isDone ? past : verb} ${named} `, { code: facts.params.name ?? '' }]
  return [...before, `${isDone ? past : verb} `, ...filled(object, facts.params), ...rightsPhrases(facts)]
}

/** What is called by its name where the entry has one. */
const NAMED: Record<string, string> = {
  'control-plane.createDeployment': 'deployment',
  'control-plane.createListener': 'listener',
  'control-plane.updateListener': 'listener',
  'control-plane.deleteListener': 'listener',
  'control-plane.renewListenerToken': 'the token of listener',
  'control-plane.revokeListenerToken': 'the token of listener',
  createOwnToken: 'personal API token',
  createServiceToken: 'service account',
  revokeOwnToken: 'API token',
  revokeToken: 'API token',
  saveAlertRule: 'alert rule',
  saveAlertChannel: 'alert channel',
}

/** The words before the rights that an action gives. */
const GIVES: Record<string, string> = { setRole: ' to ', inviteMember: ' as ', createInvitation: ' as ' }

function rightsPhrases({ operation, params }: AuditFacts): Phrase[] {
  const roles = rolesIn(params)
  const parts: Phrase[][] = params.role ? [[params.role]] : []
  for (const role of new Set(roles.map((one) => one.role))) {
    const named = roles.filter((one) => one.role === role)
    const isLast = (index: number) => index === named.length - 1
    parts.push([
      `${role} of `,
      ...named.flatMap(({ deployment }, index): Phrase[] => [
        ...(index === 0 ? [] : [isLast(index) ? ' and ' : ', ']),
        { deployment },
      ]),
    ])
  }
  const before = GIVES[operation]
  return before ? parts.flatMap((part, index) => [index === 0 ? before : '; ', ...part]) : []
}

const rolesIn = ({ deployments = '' }: Record<string, string>) =>
  deployments
    .split(',')
    .map((pair) => pair.split('='))
    .flatMap(([deployment, role]) => (deployment && role ? [{ deployment, role }] : []))

/** The ids of the deployments that an entry is about. */
export const deploymentsIn = (params: Record<string, string>): string[] => [
  ...((params.deployment_id ?? params.deployment) ? [params.deployment_id ?? params.deployment ?? ''] : []),
  ...rolesIn(params).map(({ deployment }) => deployment),
]

const SHORT = 8
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

function filled(text: string, params: Record<string, string>): Phrase[] {
  return text.split(/(\{\w+\})/).flatMap((part): Phrase[] => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) return part ? [part] : []
    const value = params[`${name}_id`] ?? params[name]
    if (value === undefined) return [`an unknown ${name}`]
    if (name === 'deployment') return [{ deployment: value }]
    if (name === 'account') return [{ account: value }]
    return [{ code: UUID.test(value) ? value.slice(0, SHORT) : value }]
  })
}

type SecretEdit = { verb: string; past: string; names: string[] }

/** The edits of secrets that the fields name, grouped by verb. */
function secretEdits(fields: readonly string[]): SecretEdit[] {
  const named = (kind: string) =>
    fields.flatMap((field) => (field.startsWith(`secrets.${kind}.`) ? [field.slice(kind.length + 9)] : []))
  const removed = named('remove')
  const set = named('set')
  const renamed = named('renamed-from').map((from, index) => `${from} → ${named('renamed-to')[index] ?? '?'}`)
  return [
    { verb: 'remove', past: 'removed', names: removed },
    { verb: 'set', past: 'set', names: set },
    { verb: 'rename', past: 'renamed', names: renamed },
  ].filter(({ names }) => names.length > 0)
}

/** The sentence as plain text, with names where they are known. */
export const namedSentence = (phrases: readonly Phrase[], names: Names): string =>
  phrases
    .map((part) => {
      if (typeof part === 'string') return part
      if ('code' in part) return part.code
      return 'deployment' in part
        ? (names.deployments[part.deployment] ?? part.deployment)
        : (names.accounts[part.account] ?? part.account)
    })
    .join('')

type Names = { deployments: Record<string, string>; accounts: Record<string, string> }
