// A call that each server action accepts, to be spoiled by the fuzz test. Texts such as `~thread~` name existing things.

const UUID = '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001'
const workspace = 'local'
const place = { workspace, deploymentId: '~deployment~' }
const spare = { workspace, deploymentId: '~spare~' }
const key = 'fuzz-key-~number~'
const snapshot = { digest: '', fingerprints: [], updatedAt: null, latestRevision: null }
const verb = { ...spare, revision: '~revision~', key }
const draft = '{"name":"a","description":"","context":{},"config":{},"metadata":{}}'
const assistant = { ...place, assistant: '~assistant~' }
const thread = { ...place, thread: '~thread~' }
const cron = { ...place, cron: '~cron~' }
const item = { ...place, namespace: ['a', 'b'], key: 'k' }
const price = {
  ...{
    model: 'gpt-*',
    provider: null,
    input: 1,
    output: 2,
    cachedInput: null,
    reasoning: null,
    validFrom: '2026-01-31',
  },
}
const rule = {
  ...{ name: 'rule-~number~', kind: 'unhealthy', settings: { minutes: 5 }, deployments: null },
  ...{ channels: [], isEnabled: true },
}
const view = { workspace, page: 'deployments' }
const form = {
  ...{ assistant: 'a', threadKind: 'new', inputKind: 'message', message: 'Hello', json: null, context: '' },
  ...{ modes: ['values'], subgraphs: true, multitask: 'enqueue' },
}
const control = { slug: 'fuzzed', baseUrl: 'http://127.0.0.1:1', dialect: 'auto', keys: { apiKey: 'not a secret' } }
const subject = {
  ...{ deployment: '~deployment~', deploymentName: 'x', assistant: 'chat', name: 'chat', version: 1, revision: null },
}
const checks = [
  { kind: 'contains', text: 'x' },
  { kind: 'equals', path: 'a[0].b', value: '1' },
  { kind: 'regex', pattern: '^a+$' },
  { kind: 'latency', ms: 1_000 },
]
const answers = '[{"id":"a","asked":1,"answer":"yes"}]'
const deployment = {
  name: 'made-~number~',
  source: 'github',
  source_config: {
    ...{
      integration_id: '~integration~',
      repo_url: '/nowhere/repository',
      deployment_type: 'dev',
      build_on_push: false,
    },
  },
  source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
  secrets: [{ name: 'A', value: 'b' }],
}

export const ACTION_EXAMPLES: Record<string, unknown[]> = {
  activateVersion: [{ place: assistant, key, version: 1, seen: 1 }],
  addDirectServer: ['servers', { name: 'x', url: 'http://127.0.0.1:1' }],
  allowPublicLinks: [{ workspace, isAllowed: false }],
  answerThread: [{ place: thread, answers, key }],
  answerThreads: [{ workspace, threads: [{ deploymentId: '~deployment~', thread: '~thread~', answers }], key }],
  askServersAgain: [{ workspace }],
  cancelRun: [{ workspace, recording: '~recording~', action: 'interrupt' }],
  cancelRuns: [{ workspace, ids: ['~recording~', '~deployment~/~thread~/~run~'], action: 'interrupt', key }],
  cancelRunsOf: [{ ...place, ids: ['~thread~'], key }],
  confirmAuditExport: [{ workspace, sha256: '0'.repeat(64) }],
  changePassword: [{ current: 'a wrong password', next: 'another long password' }],
  continueExperiment: [{ workspace, id: UUID }],
  copyThread: [{ place: thread, key }],
  createAssistant: [{ ...place, key, graph: 'chat', draft }],
  createCron: [{ ...place, key, body: '{"assistant_id":"chat","schedule":"0 0 1 1 *"}' }],
  createDeployment: [{ workspace, key, body: JSON.stringify(deployment) }],
  createPublicLink: [{ workspace, recording: '~recording~', days: 7 }],
  createThread: [{ ...place, key, metadata: '{"a":1}', ttlMinutes: 5 }],
  createToken: [{ workspace, name: 'ci', kind: 'service', role: 'viewer', deployments: ['~deployment~'], days: 7 }],
  createWorkspace: [{ kind: 'control-plane', name: 'Fuzzed', allowedOrigins: [], ...control }],
  deleteAlertChannel: [{ workspace, id: UUID }],
  deleteAlertRule: [{ workspace, id: UUID }],
  deleteAssistant: [{ place: { ...assistant, assistant: UUID }, key, deletesThreads: false }],
  deleteCron: [{ place: cron }],
  deleteDeployment: [{ ...spare, key, name: 'spare', deletesTracingProject: false }],
  deleteDeployments: [{ workspace, ids: ['~spare~'], key }],
  deleteExperiment: [{ workspace, id: UUID }],
  deleteInputSet: [{ workspace, id: UUID }],
  deleteItem: [item],
  deleteListener: [{ workspace, id: UUID }],
  deletePrice: [{ workspace, id: UUID }],
  deleteTemplate: [{ ...place, id: UUID }],
  deleteThreads: [{ ...place, ids: ['~thread~', UUID], key }],
  deleteView: [{ ...view, id: UUID }],
  deleteWorkspace: ['fuzzed'],
  disableMember: [{ account: '~member~', isDisabled: true }],
  endAlertSilence: [{ workspace, id: UUID }],
  importPrices: [{ workspace, prices: [price] }],
  interruptRevision: [verb],
  addPasskey: [{ name: 'phone', response: {} }],
  beginPasskey: [{ password: 'x' }],
  createInvitation: [{ workspace, email: 'fuzz-~number~@example.com', role: 'viewer', days: 7 }],
  endOtherSessions: [],
  endSession: [{ account: '~member~', session: UUID }],
  inviteMember: [{ workspace, email: 'fuzz-~number~@example.com', role: 'viewer' }],
  joinRun: [{ ...thread, run: '~run~' }],
  previewState: [{ place: thread, base: { id: '', ns: '' }, values: '{"a":1}' }],
  putItem: [{ place: item, value: '{"a":1}', ttlMinutes: 5, seen: null, requestKey: key }],
  ratePair: [{ place: { workspace, id: UUID }, subject: 0, input: 0, thumb: 1, note: 'good' }],
  readSettings: [place],
  redeployRevision: [verb],
  removeDirectServer: ['servers', UUID],
  resetMemberPassword: [{ account: '~member~' }],
  restoreRevision: [{ ...verb, latest: null, reviewed: '{}' }],
  removePasskey: [{ id: 'x', password: 'x' }],
  revokeInvitation: [{ workspace, id: UUID }],
  createListener: [{ workspace, compute_id: 'cluster ~number~', namespaces: ['agents'] }],
  renewListenerToken: [{ workspace, id: UUID }],
  revokeListenerToken: [{ workspace, id: UUID }],
  saveNamespaces: [{ workspace, id: UUID, namespaces: ['agents'], seen: [] }],
  revokeToken: [{ workspace, id: UUID }],
  runCron: [{ place: cron, key }],
  revokePublicLink: [{ workspace, id: UUID }],
  saveAlertChannel: [{ workspace, channel: { name: 'mail-~number~', kind: 'email', recipients: ['a@example.com'] } }],
  saveAlertRule: [{ workspace, rule }],
  saveAssistant: [{ place: assistant, key, base: draft, draft }],
  saveInputSet: [{ workspace, name: 'set ~number~', inputs: ['{"a":1}'] }],
  saveMetadata: [{ place: thread, key, base: '{}', metadata: '{"a":1}' }],
  savePrice: [{ workspace, price }],
  saveResourceSpec: [{ place: spare, key, snapshot, spec: '{"cpu":1}' }],
  saveSecrets: [{ place: spare, key, snapshot, changes: [{ kind: 'set', name: 'A', value: 'b' }] }],
  saveSettings: [{ place: spare, key, snapshot, change: { 'source_revision_config.repo_ref': 'next' } }],
  savePlatformRetention: [{ workspace, patch: { runs: { max_age_days: null, max_bytes: null } } }],
  saveAuditLimits: [{ workspace, days: 365, maxBytes: null }],
  saveAuditRetention: [{ workspace, days: 365, maxBytes: null }],
  saveRetention: [{ workspace, days: 30, maxBytes: null }],
  saveTemplate: [{ ...place, name: 'template', body: JSON.stringify(form) }],
  saveView: [{ ...view, name: 'view', query: 'status=READY' }],
  setFavourite: [{ workspace, deployment: '~deployment~', isFavourite: true }],
  setPasskeyRequired: [{ isRequired: true, password: 'x' }],
  setRole: [{ workspace, account: '~member~', role: 'viewer' }],
  silenceAlerts: [{ workspace, rule: null, deployment: '~deployment~', reason: 'known', hours: 1 }],
  signOutEverywhere: [{ account: '~member~' }],
  startExperiment: [{ workspace, name: 'x', key, subjects: [subject], inputs: ['{"messages":[]}'], checks }],
  startRun: [{ ...place, thread: { kind: 'new' }, body: { assistant_id: 'chat', input: {} }, key }],
  stopExperiment: [{ workspace, id: UUID }],
  testAgentServer: ['servers', { url: 'http://127.0.0.1:1' }],
  testAlertChannel: [{ workspace, id: UUID }],
  testControlPlane: [control],
  updateCron: [{ place: cron, key, seen: null, patch: '{"enabled":false}' }],
  updateState: [
    { place: thread, key, base: { id: '', ns: '' }, expectedCheckpoint: '', isFork: false, values: '{"a":1}' },
  ],
  updateTemplate: [{ ...place, id: UUID, name: 'other', body: JSON.stringify(form) }],
  updateView: [{ ...view, id: UUID, name: 'other', query: '', isDefault: true }],
  updateWorkspace: ['fuzzed', { name: 'Other' }],
}
