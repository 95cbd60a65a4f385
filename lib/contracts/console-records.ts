import type { Role } from './wire/api'

/** An operation on the console's own records. There is no upstream; the row only decides who may do it. */
export type RecordOperation = {
  /** Its name in the audit trail. */
  id: string
  /** The lowest role; null: any signed-in user, for their own account. */
  role: Role | null
  effect: 'read' | 'write'
  /** Where the role is needed: in the record's workspace, or in the whole console. */
  scope: 'workspace' | 'console'
  /**
   * Which roles count: only that for the whole workspace; also those for the deployments that the records are about; or any,
   * because the records are the user's own.
   */
  reach: 'workspace' | 'deployments' | 'own'
  /** Error text for a reader without the role, if they may know that the workspace exists. */
  refusal?: string
}

type Row = Omit<RecordOperation, 'id' | 'scope' | 'reach'> & Partial<Pick<RecordOperation, 'scope' | 'reach'>>

const define = <const Rows extends Record<string, Row>>(rows: Rows) =>
  Object.fromEntries(
    Object.entries(rows as Record<string, Row>).map(([id, row]) => [
      id,
      { scope: 'workspace', reach: 'workspace', ...row, id },
    ]),
  ) as { [Id in keyof Rows]: RecordOperation }

/** Who may read and write the console's own data. `lib/server/records` checks each row. */
export const consoleRecords = define({
  readRecordings: { role: 'viewer', effect: 'read', reach: 'deployments' },
  readChanges: { role: 'viewer', effect: 'read', reach: 'deployments' },
  readViews: { role: 'viewer', effect: 'read', reach: 'own' },
  readFavourites: { role: 'viewer', effect: 'read', reach: 'deployments' },
  readTemplates: { role: 'viewer', effect: 'read', reach: 'deployments' },
  readExperiments: { role: 'viewer', effect: 'read', reach: 'deployments' },
  readMembers: { role: 'admin', effect: 'read', refusal: 'The members are for administrators of the workspace.' },
  readRetention: { role: 'admin', effect: 'read', refusal: 'Retention is for administrators of the workspace.' },
  readAudit: {
    role: 'admin',
    effect: 'read',
    reach: 'deployments',
    refusal: 'The audit trail is for administrators of the workspace.',
  },

  /** Their own; all of the workspace for administrators. */
  readTokens: { role: 'viewer', effect: 'read', reach: 'own' },

  saveView: { role: 'viewer', effect: 'write', reach: 'own' },
  updateView: { role: 'viewer', effect: 'write', reach: 'own' },
  /** Puts it into the lists of others. */
  shareView: { role: 'developer', effect: 'write' },
  deleteView: { role: 'viewer', effect: 'write', reach: 'own' },
  addFavourite: { role: 'viewer', effect: 'write', reach: 'deployments' },
  removeFavourite: { role: 'viewer', effect: 'write', reach: 'own' },
  saveTemplate: { role: 'viewer', effect: 'write', reach: 'deployments' },
  updateTemplate: { role: 'viewer', effect: 'write', reach: 'deployments' },
  deleteTemplate: { role: 'viewer', effect: 'write', reach: 'deployments' },
  savePrice: { role: 'admin', effect: 'write' },
  importPrices: { role: 'admin', effect: 'write' },
  deletePrice: { role: 'admin', effect: 'write' },
  /** By the recorder itself, to object storage. */
  moveRecordings: { role: 'admin', effect: 'write' },
  saveRetention: { role: 'admin', effect: 'write' },
  saveAuditLimits: { role: 'admin', effect: 'write' },

  readPublicLinks: { role: 'viewer', effect: 'read', reach: 'deployments' },
  createPublicLink: { role: 'developer', effect: 'write', reach: 'deployments' },
  revokePublicLink: { role: 'developer', effect: 'write', reach: 'deployments' },
  allowPublicLinks: { role: 'admin', effect: 'write' },

  startExperiment: { role: 'developer', effect: 'write', reach: 'deployments' },
  continueExperiment: { role: 'developer', effect: 'write', reach: 'deployments' },
  stopExperiment: { role: 'developer', effect: 'write', reach: 'deployments' },
  deleteExperiment: { role: 'developer', effect: 'write', reach: 'deployments' },
  ratePair: { role: 'developer', effect: 'write', reach: 'deployments' },
  saveInputSet: { role: 'developer', effect: 'write' },
  deleteInputSet: { role: 'developer', effect: 'write' },

  readInvitations: { role: 'admin', effect: 'read', refusal: 'Invitations are for administrators of the workspace.' },
  createInvitation: { role: 'admin', effect: 'write' },
  revokeInvitation: { role: 'admin', effect: 'write' },
  acceptInvitation: { role: null, effect: 'write', scope: 'console' },
  inviteMember: { role: 'admin', effect: 'write' },
  setRole: { role: 'admin', effect: 'write' },

  createOwnToken: { role: 'viewer', effect: 'write', reach: 'own' },
  revokeOwnToken: { role: 'viewer', effect: 'write', reach: 'own' },
  createServiceToken: { role: 'admin', effect: 'write' },
  revokeToken: { role: 'admin', effect: 'write' },

  readAlerts: { role: 'viewer', effect: 'read' },
  silenceAlerts: { role: 'developer', effect: 'write' },
  endAlertSilence: { role: 'developer', effect: 'write' },
  saveAlertRule: { role: 'admin', effect: 'write' },
  deleteAlertRule: { role: 'admin', effect: 'write' },
  saveAlertChannel: { role: 'admin', effect: 'write' },
  deleteAlertChannel: { role: 'admin', effect: 'write' },
  testAlertChannel: { role: 'admin', effect: 'write' },

  // Accounts belong to the whole console.
  disableMember: { role: 'admin', effect: 'write', scope: 'console' },
  enableMember: { role: 'admin', effect: 'write', scope: 'console' },
  resetMemberPassword: { role: 'admin', effect: 'write', scope: 'console' },
  signOutEverywhere: { role: 'admin', effect: 'write', scope: 'console' },
  /** Their own for everyone. */
  readSessions: {
    ...{ role: 'admin', effect: 'read', scope: 'console' },
    refusal: 'The sessions of others are for administrators of the whole console.',
  },
  endSession: { role: 'admin', effect: 'write', scope: 'console' },
  signInByLink: { role: null, effect: 'write', scope: 'console' },
  addPasskey: { role: null, effect: 'write', scope: 'console' },
  removePasskey: { role: null, effect: 'write', scope: 'console' },
  requirePasskey: { role: null, effect: 'write', scope: 'console' },
  /** The trail of all workspaces, as it is verified. */
  exportAudit: {
    ...{ role: 'admin', effect: 'read', scope: 'console' },
    refusal: 'The whole audit trail is for administrators of the whole console.',
  },
  saveAuditRetention: { role: 'admin', effect: 'write', scope: 'console' },
  confirmAuditExport: { role: 'admin', effect: 'write', scope: 'console' },
  /** By the console itself or the operator's command. */
  pruneAudit: { role: 'admin', effect: 'write', scope: 'console' },
  changePassword: { role: null, effect: 'write', scope: 'console' },

  // They send the given keys to the given address, so they are for the same people as saving it, and audited like it.
  testControlPlane: { role: 'admin', effect: 'write', scope: 'console' },
  testAgentServer: { role: 'admin', effect: 'write', scope: 'console' },
  createWorkspace: { role: 'admin', effect: 'write', scope: 'console' },
  updateWorkspace: { role: 'admin', effect: 'write', scope: 'console' },
  deleteWorkspace: { role: 'admin', effect: 'write', scope: 'console' },
  addDirectServer: { role: 'admin', effect: 'write', scope: 'console' },
  removeDirectServer: { role: 'admin', effect: 'write', scope: 'console' },
})
