import 'server-only'
import { notFound, redirect } from 'next/navigation'
import { AppError } from '@/lib/errors'
import { routes } from '@/lib/routes'
import { roleOf, sessionActor } from '@/lib/server/access/actor'
import { listRecordings, readRecording } from '@/lib/server/records/recordings'
import type { RecordingSummary } from '@/lib/stream/log'

// Recordings are the console's own records and do not pass through `call`, so the pages that read them ask for the role.

async function assertMember(workspace: string): Promise<void> {
  const actor = await sessionActor().catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'unauthenticated')
      redirect(routes.signIn(routes.workspace(workspace)))
    throw error
  })
  // A workspace that does not exist and one that this person may not know of look alike.
  if (!(await roleOf(actor, workspace))) notFound()
}

/** A page of recordings that the person may see. */
export async function visibleRecordings(filter: {
  workspace: string
  deployment?: string
  after?: string
  limit?: number
}) {
  await assertMember(filter.workspace)
  return await listRecordings(filter)
}

/** The recording of a run of an agent server, where one was made here. */
export async function recordingOfRun(workspace: string, deployment: string, run: string): Promise<string | null> {
  await assertMember(workspace)
  const { items } = await listRecordings({ workspace, deployment, run, limit: 1 })
  return items[0]?.id ?? null
}

/** One recording, under the address it belongs to; any other address of it is not found. `deployment` null: whichever it is of. */
export async function visibleRecording(
  workspace: string,
  deployment: string | null,
  id: string,
): Promise<RecordingSummary> {
  await assertMember(workspace)
  const found = await readRecording(id).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') notFound()
    throw error
  })
  if (found.workspace !== workspace || (deployment !== null && found.deployment !== deployment)) notFound()
  return found
}
