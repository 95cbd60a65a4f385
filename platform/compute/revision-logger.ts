import type { Secret } from '@/lib/contracts/deployments/deployments'
import { createMask } from '../builder/mask'
import type { RevisionLogs } from '../kernel/revision-log'
import type { DeploymentRow, RevisionRow } from '../kernel/schema'
import type { Sealer } from '../kernel/seal'
import { sendLog } from '../kernel/telemetry'
import type { LogLevel, LogType } from '../kernel/wire'

export type AppendLine = (level: LogLevel, message: string, runId?: string) => void

const SEVERITY = { DEBUG: 'info', INFO: 'info', WARNING: 'warn', ERROR: 'error', CRITICAL: 'error' } as const

/** The logs of revisions with their secrets masked. */
export class RevisionLogger {
  constructor(private readonly options: { logs: RevisionLogs; sealer: Sealer }) {}

  logOf(
    { deployment, revision }: { deployment: Pick<DeploymentRow, 'id'>; revision: RevisionRow },
    type: LogType,
  ): AppendLine {
    const mask = createMask(this.secretsOf(revision).map((secret) => secret.value))
    const place = { deploymentId: deployment.id, revisionId: revision.id, type }
    return (level, text, runId) => {
      const message = mask(text)
      this.options.logs.append(place, { level, message, runId })
      sendLog({ level: SEVERITY[level], event: type, fields: { ...place, runId, message } })
    }
  }

  secretsOf(revision: RevisionRow): Secret[] {
    return this.options.sealer.open<Secret[]>(revision.secrets, revision.deploymentId)
  }
}
