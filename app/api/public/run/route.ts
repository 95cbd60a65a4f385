import { openPublicLink } from '@/lib/server/records/public-links'
import { serveAnyone } from '@/lib/server/relay/serve-anyone'

export const dynamic = 'force-dynamic'

export const GET = (request: Request) =>
  serveAnyone(request, () => openPublicLink(request.headers.get('authorization')))
