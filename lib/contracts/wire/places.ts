/**
 * Where something is found: one family of types, spelled `deploymentId` in our code. Database columns, audit parameters,
 * live subscriptions and page URLs keep `deployment`, so that what is stored or linked stays valid.
 */
export type WorkspacePlace = { workspace: string }
export type DeploymentPlace = WorkspacePlace & { deploymentId: string }

/** Where an operation is sent. Agent-server operations need the deployment. */
export type OperationPlace = WorkspacePlace & { deploymentId?: string }

export type RevisionPlace = DeploymentPlace & { revision: string }
export type AssistantPlace = DeploymentPlace & { assistant: string }
export type ThreadPlace = DeploymentPlace & { thread: string }
export type CronPlace = DeploymentPlace & { cron: string }
export type ItemPlace = DeploymentPlace & { namespace: string[]; key: string }
/** Traces of a project; without one those of a deployment, and without both those of the workspace. */
export type TracesPlace = OperationPlace & { project?: string }
export type TracePlace = WorkspacePlace & { trace: string }

/** A recording is found in its workspace, or only in the given deployment. */
export type RecordingPlace = OperationPlace & { recording: string }
/** A page whose views a user has saved. */
export type ViewsPlace = WorkspacePlace & { page: string }
