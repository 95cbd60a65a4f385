import { controlPlane } from '@/lib/contracts/control-plane'
import { relay } from '@/lib/server/relay/relay'

export const dynamic = 'force-dynamic'
export const { GET, POST } = relay(controlPlane)
