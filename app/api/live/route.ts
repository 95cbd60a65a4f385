import { serveLive } from '@/lib/server/live/serve'
import { LIVE_PATH } from '@/lib/server/transport/node-response'
import { offerShortcut } from '@/lib/server/transport/shortcut'

export const dynamic = 'force-dynamic'
export const POST = (request: Request) => serveLive(request)
offerShortcut(LIVE_PATH, POST)
