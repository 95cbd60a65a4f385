import 'server-only'
import { defectsOf } from '@/lib/contracts/agents/server-defects'
import type { Info } from '@/lib/contracts/agents/system'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { StreamMode } from '@/lib/contracts/wire/stream-modes'
import { knownFeatures, noteFeature } from '../../upstream/known-features'
import { asAppError } from './run-source'

type Asked = { stream_mode?: StreamMode | StreamMode[] | null; stream_subgraphs?: boolean | null }

/** The stream modes that work around a defect of the server. */
export function extraModes({ stream_mode, stream_subgraphs }: Asked, info: Info): StreamMode[] {
  const modes = [stream_mode ?? []].flat()
  const isHit = stream_subgraphs === true && modes.includes('values') && !modes.includes('checkpoints')
  return isHit && defectsOf(info).some(({ id }) => id === 'values-with-subgraphs') ? ['checkpoints'] : []
}

/**
 * Calls `open` with the modes. `tasks` is a default that older servers refuse, so it is left out for a server that
 * refuses it.
 */
export async function withServersModes<T>(
  place: DeploymentPlace,
  modes: StreamMode[],
  open: (modes: StreamMode[]) => Promise<T>,
): Promise<T> {
  const older = modes.filter((mode) => mode !== 'tasks')
  if (older.length === modes.length || older.length === 0) return await open(modes)
  if (knownFeatures(place).get('tasks')?.state === 'no') return await open(older)
  try {
    return await open(modes)
  } catch (error) {
    const { code, message } = asAppError(error)
    if (code !== 'invalid' || !/stream_mode|\btasks\b/.test(message)) throw error
    const opened = await open(older)
    noteFeature(place, 'tasks', { state: 'no', reason: message })
    return opened
  }
}
