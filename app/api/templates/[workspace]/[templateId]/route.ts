import { readTemplate } from '@/lib/server/records/run-templates'
import { serveRead } from '@/lib/server/relay/serve-read'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/templates/[workspace]/[templateId]'>) {
  const { workspace, templateId: id } = await params
  return await serveRead(request, (_, { actor }) => readTemplate(actor, { workspace, id }))
}
