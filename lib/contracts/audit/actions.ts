/** The groups by which readers filter the trail. */
export const AUDIT_GROUPS = {
  deployments: 'Deployments and revisions',
  secrets: 'Secrets',
  runs: 'Runs',
  threads: 'Threads',
  assistants: 'Assistants',
  crons: 'Crons',
  store: 'Store',
  protocols: 'MCP and A2A',
  traces: 'Traces',
  people: 'People and roles',
  workspaces: 'Workspaces',
  alerts: 'Alerts',
  lists: 'Views, templates, prices',
} as const
export type AuditGroup = keyof typeof AUDIT_GROUPS

/**
 * An operation as the trail tells it: group, verb, the verb's past, and what it acts on. `{name}` is the parameter `name` or
 * `name_id` of the entry.
 */
export type AuditAction = readonly [group: AuditGroup, verb: string, past: string, object: string]

const CREATE = ['create', 'created'] as const
const CHANGE = ['change', 'changed'] as const
const DELETE = ['delete', 'deleted'] as const
const START = ['start', 'started'] as const
const CANCEL = ['cancel', 'cancelled'] as const
const SAVE = ['save', 'saved'] as const
const SEND = ['send', 'sent'] as const
const REVOKE = ['revoke', 'revoked'] as const
const LOG = ['log', 'logged'] as const

/** Every operation that writes, by its name in the trail; `sentence.test.ts` compares it with the operation tables. */
export const AUDIT_ACTIONS: Readonly<Record<string, AuditAction>> = {
  'control-plane.createDeployment': ['deployments', ...CREATE, 'a deployment'],
  'control-plane.updateDeployment': ['deployments', ...CHANGE, '{deployment}'],
  'control-plane.deleteDeployment': ['deployments', ...DELETE, '{deployment}'],
  'control-plane.deleteDeployments': ['deployments', ...DELETE, 'several deployments'],
  'control-plane.updateDeploymentTier': ['deployments', ...CHANGE, 'the tier of {deployment}'],
  'control-plane.updateResourceTiers': ['deployments', ...CHANGE, 'the resource tiers of {deployment}'],
  'control-plane.createUploadUrl': ['deployments', ...CREATE, 'a place to upload the source of {deployment}'],
  'control-plane.createRevision': ['deployments', ...CREATE, 'a revision of {deployment}'],
  'control-plane.redeployRevision': ['deployments', 'redeploy', 'redeployed', 'revision {revision} of {deployment}'],
  'control-plane.interruptRevision': ['deployments', 'interrupt', 'interrupted', 'revision {revision} of {deployment}'],
  'control-plane.createInstallationLink': ['deployments', ...CREATE, 'a link to install the GitHub app'],
  'control-plane.updateRetention': ['deployments', ...CHANGE, 'how long traces and runs are kept'],
  'control-plane.createListener': ['deployments', ...CREATE, 'a listener'],
  'control-plane.updateListener': ['deployments', ...CHANGE, 'listener {listener}'],
  'control-plane.deleteListener': ['deployments', ...DELETE, 'listener {listener}'],
  'control-plane.renewListenerToken': ['deployments', 'renew', 'renewed', 'the token of listener {listener}'],
  'control-plane.revokeListenerToken': ['deployments', ...REVOKE, 'the token of listener {listener}'],

  'agent-server.createAssistant': ['assistants', ...CREATE, 'an assistant in {deployment}'],
  'agent-server.updateAssistant': ['assistants', ...CHANGE, 'assistant {assistant} in {deployment}'],
  'agent-server.deleteAssistant': ['assistants', ...DELETE, 'assistant {assistant} in {deployment}'],
  'agent-server.setLatestAssistantVersion': [
    ...(['assistants', 'choose', 'chose'] as const),
    'the active version of assistant {assistant} in {deployment}',
  ],

  'agent-server.createThread': ['threads', ...CREATE, 'a thread in {deployment}'],
  'agent-server.updateThread': ['threads', ...CHANGE, 'thread {thread} in {deployment}'],
  'agent-server.deleteThread': ['threads', ...DELETE, 'thread {thread} in {deployment}'],
  'agent-server.pruneThreads': ['threads', 'prune', 'pruned', 'threads in {deployment}'],
  'agent-server.copyThread': ['threads', 'copy', 'copied', 'thread {thread} in {deployment}'],
  'agent-server.updateThreadState': ['threads', ...CHANGE, 'the state of thread {thread} in {deployment}'],
  'agent-server.patchThreadState': ['threads', ...CHANGE, 'the metadata of thread {thread} in {deployment}'],
  'agent-server.sendThreadCommand': ['threads', ...SEND, 'a command to thread {thread} in {deployment}'],

  'agent-server.createRun': ['runs', ...START, 'a run on thread {thread} in {deployment}'],
  'agent-server.createRunStream': ['runs', ...START, 'a run on thread {thread} in {deployment}'],
  'agent-server.createRunWait': ['runs', ...START, 'a run on thread {thread} in {deployment}'],
  'agent-server.createStatelessRun': ['runs', ...START, 'a run without a thread in {deployment}'],
  'agent-server.createStatelessRunStream': ['runs', ...START, 'a run without a thread in {deployment}'],
  'agent-server.createStatelessRunWait': ['runs', ...START, 'a run without a thread in {deployment}'],
  'agent-server.createRunBatch': ['runs', ...START, 'several runs in {deployment}'],
  'agent-server.deleteRun': ['runs', ...DELETE, 'run {run} in {deployment}'],
  'agent-server.cancelRun': ['runs', ...CANCEL, 'run {run} in {deployment}'],
  'agent-server.cancelRuns': ['runs', ...CANCEL, 'runs in {deployment}'],

  'agent-server.createThreadCron': ['crons', ...CREATE, 'a cron on thread {thread} in {deployment}'],
  'agent-server.createCron': ['crons', ...CREATE, 'a cron in {deployment}'],
  'agent-server.updateCron': ['crons', ...CHANGE, 'cron {cron} in {deployment}'],
  'agent-server.deleteCron': ['crons', ...DELETE, 'cron {cron} in {deployment}'],

  'agent-server.putItem': ['store', 'write', 'wrote', 'a store item in {deployment}'],
  'agent-server.deleteItem': ['store', ...DELETE, 'a store item in {deployment}'],
  'agent-server.sendA2a': ['protocols', ...SEND, 'an A2A message to assistant {assistant} in {deployment}'],
  'agent-server.sendMcp': ['protocols', ...SEND, 'an MCP message to {deployment}'],

  'traces.createTraceRun': ['traces', ...LOG, 'a trace run'],
  'traces.updateTraceRun': ['traces', ...CHANGE, 'trace run {run}'],
  'traces.createTraceRunBatch': ['traces', ...LOG, 'trace runs'],
  'traces.createTraceRunMultipart': ['traces', ...LOG, 'trace runs'],
  'traces.createTracingProject': ['traces', ...CREATE, 'a tracing project'],
  'traces.updateTracingProject': ['traces', ...CHANGE, 'tracing project {session}'],
  'traces.deleteTracingProject': ['traces', ...DELETE, 'tracing project {session}'],
  'traces.createFeedback': ['traces', 'give', 'gave', 'feedback on a trace'],

  saveView: ['lists', ...SAVE, 'a view of {page}'],
  updateView: ['lists', ...CHANGE, 'a view of {page}'],
  shareView: ['lists', 'share', 'shared', 'a view of {page}, or ended that'],
  deleteView: ['lists', ...DELETE, 'a view of {page}'],
  addFavourite: ['lists', 'mark', 'marked', '{deployment} as a favourite'],
  removeFavourite: ['lists', 'unmark', 'unmarked', '{deployment} as a favourite'],
  saveTemplate: ['lists', ...SAVE, 'a run template of {deployment}'],
  updateTemplate: ['lists', ...CHANGE, 'a run template of {deployment}'],
  deleteTemplate: ['lists', ...DELETE, 'a run template of {deployment}'],
  savePrice: ['lists', ...SAVE, 'a model price'],
  importPrices: ['lists', 'import', 'imported', 'model prices'],
  deletePrice: ['lists', ...DELETE, 'a model price'],
  saveRetention: ['lists', ...CHANGE, 'how long recordings are kept'],
  moveRecordings: ['lists', 'move', 'moved', 'old recordings to object storage ({recordings})'],
  saveAuditLimits: ['lists', ...CHANGE, 'how much of the audit trail of the workspace is kept'],
  saveAuditRetention: ['lists', ...CHANGE, 'how much of the audit trail is kept'],
  confirmAuditExport: ['lists', 'confirm', 'confirmed', 'an export of the audit trail'],
  pruneAudit: ['lists', 'prune', 'pruned', 'the audit trail'],

  createPublicLink: ['runs', ...CREATE, 'a public link to recording {recording}'],
  revokePublicLink: ['runs', ...REVOKE, 'public link {link}'],
  allowPublicLinks: ['runs', ...CHANGE, 'whether runs have public links to {allowed}'],

  startExperiment: ['runs', ...START, 'experiment {name}'],
  continueExperiment: ['runs', 'continue', 'continued', 'experiment {experiment}'],
  stopExperiment: ['runs', 'stop', 'stopped', 'experiment {experiment}'],
  deleteExperiment: ['runs', ...DELETE, 'experiment {experiment}'],
  ratePair: ['runs', 'rate', 'rated', 'a run of experiment {experiment}'],
  saveInputSet: ['lists', ...SAVE, 'input set {name}'],
  deleteInputSet: ['lists', ...DELETE, 'input set {set}'],

  createInvitation: ['people', 'create', 'created', 'an invitation link'],
  revokeInvitation: ['people', ...REVOKE, 'an invitation link'],
  acceptInvitation: ['people', 'accept', 'accepted', 'an invitation'],
  inviteMember: ['people', 'add', 'added', '{account}'],
  setRole: ['people', ...CHANGE, 'the role of {account}'],
  disableMember: ['people', 'disable', 'disabled', '{account}'],
  enableMember: ['people', 'enable', 'enabled', '{account}'],
  resetMemberPassword: ['people', 'reset', 'reset', 'the password of {account}'],
  signOutEverywhere: ['people', 'sign out', 'signed out', '{account} everywhere'],
  endSession: ['people', 'end', 'ended', 'a session of {account}'],
  signInByLink: ['people', 'sign in', 'signed in', 'with a one-time link'],
  addPasskey: ['people', 'add', 'added', 'a passkey of theirs'],
  removePasskey: ['people', 'remove', 'removed', 'a passkey of theirs'],
  requirePasskey: ['people', ...CHANGE, 'whether their password needs a passkey'],
  changePassword: ['people', ...CHANGE, 'their password'],

  silenceAlerts: ['alerts', 'silence', 'silenced', 'alerts'],
  endAlertSilence: ['alerts', 'end', 'ended', 'a silence'],
  saveAlertRule: ['alerts', ...SAVE, 'an alert rule'],
  deleteAlertRule: ['alerts', ...DELETE, 'an alert rule'],
  saveAlertChannel: ['alerts', ...SAVE, 'an alert channel'],
  deleteAlertChannel: ['alerts', ...DELETE, 'an alert channel'],
  testAlertChannel: ['alerts', 'test', 'tested', 'an alert channel'],

  createOwnToken: ['people', ...CREATE, 'personal API token {token}'],
  revokeOwnToken: ['people', ...REVOKE, 'API token {token}'],
  createServiceToken: ['people', ...CREATE, 'service account {token}'],
  revokeToken: ['people', ...REVOKE, 'API token {token}'],

  testControlPlane: ['workspaces', 'test', 'tested', 'the connection to a control plane'],
  testAgentServer: ['workspaces', 'test', 'tested', 'the connection to an agent server'],
  createWorkspace: ['workspaces', ...CREATE, 'a workspace'],
  updateWorkspace: ['workspaces', ...CHANGE, 'the workspace'],
  deleteWorkspace: ['workspaces', ...DELETE, 'the workspace'],
  addDirectServer: ['workspaces', 'add', 'added', 'an agent server'],
  removeDirectServer: ['workspaces', 'remove', 'removed', 'agent server {server}'],
}

/** The names of a group's operations in the trail. */
export const operationsOf = (group: AuditGroup): string[] =>
  Object.entries(AUDIT_ACTIONS).flatMap(([operation, [of]]) => (of === group ? [operation] : []))
