import { listPrices } from '@/lib/server/records/prices'
import { serveRead } from '@/lib/server/relay/serve-read'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/prices/[workspace]'>) {
  const { workspace } = await params
  return await serveRead(request, (_, { actor }) => listPrices(actor, workspace))
}
