import { isRecord } from '@/lib/json/guards'

/**
 * The checkpoint that a thread state or an event of the modes `checkpoints` and `debug` tells of, by id; undefined for
 * those of inner graphs, which cannot be gone on from alone.
 */
export function checkpointOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  if (isRecord(value.payload)) return checkpointOf(value.payload)
  const configurable = isRecord(value.config) ? value.config.configurable : undefined
  const place = [value.checkpoint, configurable].find((one) => isRecord(one) && typeof one.checkpoint_id === 'string')
  if (!isRecord(place) || typeof place.checkpoint_id !== 'string') return undefined
  return place.checkpoint_ns === undefined || place.checkpoint_ns === null || place.checkpoint_ns === ''
    ? place.checkpoint_id
    : undefined
}
