import type { Secret } from '@/lib/contracts/deployments/deployments'
import { createMask } from '../builder/mask'
import type { RevisionLogs } from '../kernel/revision-log'
import type { DeploymentRow, RevisionRow } from '../kernel/schema'
import type { Sealer } from '../kernel/seal'
import type { LogLevel, LogType } from '../kernel/wire'

export type AppendLine = (level: LogLevel, message: string, runId?: string) => void

/** The logs of revisions with their secrets masked. */
export class RevisionLogger {
  constructor(private readonly options: { logs: RevisionLogs; sealer: Sealer }) {}

  logOf(
    { deployment, revision }: { deployment: Pick<DeploymentRow, 'id'>; revision: RevisionRow },
    type: LogType,
  ): AppendLine {
    const mask = createMask(this.secretsOf(revision).map((secret) => secret.value))
    const place = { deploymentId: deployment.id, revisionId: revision.id, type }
    return (level, message, runId) => this.options.logs.append(place, { level, message: mask(message), runId })
  }

  secretsOf(revision: RevisionRow): Secret[] {
    return this.options.sealer.open<Secret[]>(revision.secrets, revision.deploymentId)
  }
}
