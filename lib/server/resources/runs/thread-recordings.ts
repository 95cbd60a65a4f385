import 'server-only'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import type { RecordingSummary } from '@/lib/stream/log'
import type { Actor } from '../../access/actor'
import { listRecordings } from '../../records/recordings'
import { serveRead } from '../../relay/serve-read'

/** How many runs of a thread a conversation offers to look at. */
const MOST = 20

/** A thread's newest recorded runs, newest first. */
export const readThreadRecordings = async (place: ThreadPlace, actor: Actor): Promise<RecordingSummary[]> =>
  (await listRecordings(actor, { ...place, limit: MOST })).items

/** Serves `GET /api/recordings/{workspace}/{deployment}/{thread}`. */
export const serveThreadRecordings = (request: Request, place: ThreadPlace): Promise<Response> =>
  serveRead(request, (_query, { actor }) => readThreadRecordings(place, actor))
