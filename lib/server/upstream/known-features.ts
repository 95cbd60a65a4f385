import 'server-only'
import type { Operation } from '@/lib/contracts/wire/api'
import type { Capability } from '@/lib/contracts/wire/capability'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import type { AppError } from '@/lib/errors'
import { type Feature, featureOf } from './missing-feature'

const KEPT_MS = 10 * 60_000
const MAX_PLACES = 2_000

type Known = Map<Feature, { found: Capability; until: number }>
// On globalThis, because several copies of this module share it.
const shared = globalThis as unknown as { pilothouseFeatures?: Map<string, Known> }
const places = () => {
  shared.pilothouseFeatures ??= new Map()
  return shared.pilothouseFeatures
}
const keyOf = ({ workspace, deploymentId }: OperationPlace) => JSON.stringify([workspace, deploymentId ?? null])

/** Remembers for 10 minutes whether a server has a feature. */
export function noteFeature(place: OperationPlace, feature: Feature | undefined, found: Capability): void {
  if (!feature) return
  const key = keyOf(place)
  if (places().size >= MAX_PLACES) places().clear()
  const known: Known = places().get(key) ?? new Map()
  places().set(key, known.set(feature, { found, until: Date.now() + KEPT_MS }))
}

/** Remembers for 10 minutes that a server responded to an operation. */
export const noteOffered = (place: OperationPlace, op: Operation): void =>
  noteFeature(place, featureOf(op), { state: 'yes' })

/** Remembers for 10 minutes that a server lacks an operation. The next revision may have it. */
export function noteMissing(place: OperationPlace, op: Operation, { code, message, view }: AppError): void {
  if (code === 'unsupported' && view.upstreamStatus !== undefined)
    noteFeature(place, featureOf(op), { state: 'no', reason: message })
}

/** What the last 10 minutes showed of a place's features. */
export function knownFeatures(place: OperationPlace): Map<Feature, Capability> {
  const known: Known = places().get(keyOf(place)) ?? new Map()
  return new Map(
    [...known].filter(([, { until }]) => until > Date.now()).map(([feature, { found }]) => [feature, found]),
  )
}
