import { agentServer } from '@/lib/contracts/agent-server'
import { relay } from '@/lib/server/relay/relay'

export const dynamic = 'force-dynamic'
export const { GET, POST } = relay(agentServer)
