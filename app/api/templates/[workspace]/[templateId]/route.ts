import { serveTemplate } from '@/lib/server/records/run-templates'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/templates/[workspace]/[templateId]'>) {
  const { workspace, templateId } = await params
  return await serveTemplate(request, workspace, templateId)
}
