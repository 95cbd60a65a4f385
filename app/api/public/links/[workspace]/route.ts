import { listPublicLinks } from '@/lib/server/records/public-links'
import { serveRead } from '@/lib/server/relay/serve-read'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/public/links/[workspace]'>) {
  const { workspace } = await params
  return await serveRead(request, ({ recording }, { actor }) => listPublicLinks(actor, workspace, recording))
}
