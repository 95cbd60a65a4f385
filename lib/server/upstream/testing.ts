import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import type { StubUpstream } from '@/e2e/support/stub-upstream'
import { forgetAgentAddress } from './agent-address'

/**
 * Forgets what the upstream has received and how it responded. From now on it returns the sample deployment, whose agent
 * server it is too, and `{}` for everything else.
 */
export function resetUpstream(upstream: StubUpstream): void {
  forgetAgentAddress('default', SAMPLE_ID)
  upstream.seen.length = 0
  upstream.respondWith(({ path }) => ({
    body: path === `/v2/deployments/${SAMPLE_ID}` ? deploymentRecord(`${upstream.url}/agents/demo`) : {},
  }))
}
