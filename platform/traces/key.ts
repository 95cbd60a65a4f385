import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A deployment's key for logging runs, valid for the intake of its own traces only. Graph code can read it, so it cannot be the
 * platform's own key, which can change every deployment.
 */
export const createTraceKeys = (sealKey: Buffer) => {
  const sign = (id: string) => createHmac('sha256', sealKey).update(`trace key of deployment ${id}`).digest('hex')
  return {
    of: (deploymentId: string): string => `traces_${deploymentId}_${sign(deploymentId)}`,
    /** The deployment whose key it is; undefined for any other text. */
    deploymentOf(given: string): string | undefined {
      const [, id, signature] = /^traces_([0-9a-f-]{36})_([0-9a-f]{64})$/.exec(given) ?? []
      return id && signature && timingSafeEqual(Buffer.from(signature), Buffer.from(sign(id))) ? id : undefined
    },
  }
}
export type TraceKeys = ReturnType<typeof createTraceKeys>
