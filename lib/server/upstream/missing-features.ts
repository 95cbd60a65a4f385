import 'server-only'
import type { Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import type { AppError } from '@/lib/errors'
import { type Feature, featureOf } from './missing-feature'

const KEPT_MS = 10 * 60_000
const MAX_PLACES = 2_000

type Missing = Map<Feature, { reason: string; until: number }>
// On globalThis, because several copies of this module share it.
const shared = globalThis as unknown as { pilothouseMissing?: Map<string, Missing> }
const places = () => {
  shared.pilothouseMissing ??= new Map()
  return shared.pilothouseMissing
}
const keyOf = ({ workspace, deploymentId }: OperationPlace) => JSON.stringify([workspace, deploymentId ?? null])

/** Remembers for 10 minutes that a server lacks an operation. The next revision may have it. */
export function noteMissing(place: OperationPlace, op: Operation, { code, message, view }: AppError): void {
  const feature = featureOf(op)
  if (!feature || code !== 'unsupported' || view.upstreamStatus === undefined) return
  const key = keyOf(place)
  if (places().size >= MAX_PLACES) places().clear()
  const known: Missing = places().get(key) ?? new Map()
  places().set(key, known.set(feature, { reason: message, until: Date.now() + KEPT_MS }))
}

/** The features recently refused at a place, each with the reason. */
export function missingFeatures(place: OperationPlace): Map<Feature, string> {
  const known: Missing = places().get(keyOf(place)) ?? new Map()
  return new Map(
    [...known].filter(([, { until }]) => until > Date.now()).map(([feature, { reason }]) => [feature, reason]),
  )
}
