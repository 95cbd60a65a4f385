import 'server-only'
import { threadRecordingsQuery } from '@/components/runs/chat/chat-queries'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { lightThreadQuery } from '@/lib/queries/threads'
import { pageActor } from '@/lib/server/access/page-actor'
import { prefetch, prefetchRead } from '@/lib/server/relay/prefetch'
import { readThreadRecordings } from '@/lib/server/resources/runs/thread-recordings'

/** A thread's record and its runs. The state may be megabytes, so the browser loads it separately. */
export async function prefetchThread(place: ThreadPlace): Promise<void> {
  const actor = await pageActor()
  await Promise.all([
    prefetch(lightThreadQuery(place)),
    prefetchRead(threadRecordingsQuery(place).queryKey, () => readThreadRecordings(place, actor)),
  ])
}
