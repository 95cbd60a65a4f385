import { serveActivity } from '@/lib/server/resources/runs/activity'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/activity/[workspace]'>) {
  return await serveActivity(request, (await params).workspace)
}
