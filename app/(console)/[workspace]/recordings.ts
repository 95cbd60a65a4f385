import 'server-only'
import { notFound } from 'next/navigation'
import { AppError } from '@/lib/errors'
import { pageActor } from '@/lib/server/access/page-actor'
import { listRecordings, readRecording } from '@/lib/server/records/recordings'
import type { RecordingSummary } from '@/lib/stream/log'

async function orNotFound<T>(read: Promise<T>): Promise<T> {
  return await read.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') notFound()
    throw error
  })
}

/** A page of recordings. Not found if the user has no access to the workspace. */
export async function visibleRecordings(filter: {
  workspace: string
  deploymentId?: string
  after?: string
  limit?: number
}) {
  return await orNotFound(listRecordings(await pageActor(), filter))
}

/** Our recording of an agent server's run, if there is one. */
export async function recordingOfRun(workspace: string, deploymentId: string, run: string): Promise<string | null> {
  const { items } = await orNotFound(listRecordings(await pageActor(), { workspace, deploymentId, run, limit: 1 }))
  return items[0]?.id ?? null
}

/** One recording of a deployment; not found under any other deployment's URL. */
export async function visibleRecording(
  workspace: string,
  deploymentId: string,
  recording: string,
): Promise<RecordingSummary> {
  return await orNotFound(readRecording(await pageActor(), { workspace, deploymentId, recording }))
}

/** A recording of the workspace; null if it is not found. */
export async function recordingIfAny(workspace: string, recording: string): Promise<RecordingSummary | null> {
  return await readRecording(await pageActor(), { workspace, recording }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  })
}
