import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isUuid } from '@/lib/json/guards'
import { systemActor } from '../../access/actor'
import { isAway, LastLooks } from '../../process/last-looks'
import { SharedReads } from '../../process/shared-reads'
import { within } from '../../process/within'
import { call } from '../../upstream/call'

type Named = { readAt: number; name?: string; problem?: string; isAway?: boolean }

/** How long a page waits for the servers. What comes later shows on the next read. */
const WAIT_MS = 300
const DEADLINE_MS = 6_000
const MOST_KEPT = 3_000

const reads = new SharedReads<Named>({
  keptMs: () => 15_000,
  waitMs: WAIT_MS / 2,
  staleMs: 600_000,
  most: MOST_KEPT,
})
const lastNames = new LastLooks<Named>(MOST_KEPT)

/** The name of an assistant, as its server told it last. Undefined if it is not known in time. The caller checks the role. */
export async function assistantName(place: DeploymentPlace, assistant: string): Promise<string | undefined> {
  // Everything else is the name of a graph.
  if (!isUuid(assistant)) return undefined
  const key = JSON.stringify([place, assistant])
  const named = reads.get(key, () => readName(place, assistant)).then((found) => lastNames.orLast(key, found).name)
  return await within(WAIT_MS, named, undefined)
}

async function readName(place: DeploymentPlace, assistant_id: string): Promise<Named> {
  const options = { actor: systemActor('runs'), signal: AbortSignal.timeout(DEADLINE_MS) }
  const readAt = Date.now()
  try {
    const { name, graph_id } = await call(agentServer.getAssistant, { ...place, params: { assistant_id } }, options)
    return { readAt, name: name || graph_id }
  } catch (error) {
    return {
      readAt,
      problem: error instanceof AppError ? error.message : 'It did not respond in time.',
      isAway: isAway(error),
    }
  }
}
