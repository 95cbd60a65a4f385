import { serveHttpApi } from '@/lib/server/http-api/serve'

export const dynamic = 'force-dynamic'

export { serveHttpApi as DELETE, serveHttpApi as GET, serveHttpApi as PATCH, serveHttpApi as POST, serveHttpApi as PUT }
