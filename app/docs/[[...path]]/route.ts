import { serveDocs } from '@/lib/server/start/documentation'

/** The documentation site: public, so that someone who cannot sign in can read it. */
export async function GET(request: Request, { params }: RouteContext<'/docs/[[...path]]'>) {
  const { path = [] } = await params
  return serveDocs(path, request)
}
