import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { askedText } from '@/lib/stream/thread-rows'
import { systemActor } from '../../access/actor'
import { mapConcurrent } from '../../process/map-concurrent'
import { within } from '../../process/within'
import { call } from '../../upstream/call'

/** How long a page waits for its inputs. Later ones show on the next read. */
const WAIT_MS = 500
const DEADLINE_MS = 6_000
const FAILURE_MS = 30_000
const MOST_KEPT = 3_000

/** By run. A request never changes, so only failures are forgotten. */
const kept = new Map<string, { input: string | undefined; until: number }>()

const keyOf = (workspace: string, { id }: RunRow) => `${workspace} ${id}`
const knownOf = (key: string) => {
  const known = kept.get(key)
  return known && Date.now() < known.until ? known : undefined
}

/** Adds to the rows of a page what runs were asked that neither a recording nor a trace tells, as far as their servers do. */
export async function withInputs(workspace: string, rows: readonly RunRow[]): Promise<RunRow[]> {
  const untold = (row: RunRow) => row.recording === null && row.input === undefined
  const unknown = rows.filter((row) => untold(row) && !knownOf(keyOf(workspace, row)))
  await within(
    WAIT_MS,
    mapConcurrent(unknown, (row) => ask(workspace, row)),
    undefined,
  )
  return rows.map((row) => {
    const input = untold(row) ? knownOf(keyOf(workspace, row))?.input : undefined
    return input === undefined ? row : { ...row, input }
  })
}

// The caller has already checked the role, and the rows are those that the reader may see.
async function ask(workspace: string, row: RunRow): Promise<void> {
  const { deployment: deploymentId, thread, run } = row
  if (!thread || !run) return
  const params = { thread_id: thread, run_id: run }
  const options = { actor: systemActor('runs'), signal: AbortSignal.timeout(DEADLINE_MS) }
  if (kept.size >= MOST_KEPT) kept.clear()
  try {
    const { kwargs } = await call(agentServer.getRun, { workspace, deploymentId, params }, options)
    kept.set(keyOf(workspace, row), { input: kwargs ? askedText(printJson(kwargs)) : undefined, until: Infinity })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    kept.set(keyOf(workspace, row), { input: undefined, until: Date.now() + FAILURE_MS })
  }
}
