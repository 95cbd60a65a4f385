import { traces } from '@/lib/contracts/traces'
import { relay } from '@/lib/server/relay/relay'

export const dynamic = 'force-dynamic'
export const { GET, POST } = relay(traces)
