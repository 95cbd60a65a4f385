import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { PlatformRetention } from '@/lib/contracts/deployments/retention'
import { AppError, type Result } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { call } from '../upstream/call'

/** The page has other parts, and waits with all of them. */
const PATIENCE_MS = 5_000

/** How long the platform keeps traces and runs; null where it has no such settings, as all but the embedded one. */
export async function readPlatformRetention(
  workspace: string,
  actor: Actor,
): Promise<Result<PlatformRetention | null>> {
  try {
    return { ok: true, data: await call(controlPlane.getRetention, { workspace }, { actor, timeoutMs: PATIENCE_MS }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isMissing = error.code === 'unsupported' || error.code === 'not_found'
    return isMissing ? { ok: true, data: null } : { ok: false, error: error.view }
  }
}
