import { serveLive } from '@/lib/server/live/serve'

export const dynamic = 'force-dynamic'
export const POST = (request: Request) => serveLive(request)
