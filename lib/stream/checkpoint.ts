import { isRecord } from '@/lib/json/guards'

/**
 * The checkpoint id in a thread state or a `checkpoints` or `debug` event; undefined for subgraphs, from which no run
 * can continue.
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
