import 'server-only'
import { z } from 'zod'
import type { EditSnapshot, Fingerprint } from '@/lib/edit'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { fingerprint } from '../process/sealing'
import type { RawDeployment } from './raw-deployment'

/** A named part of a deployment. Undefined and null both mean unset. */
export type Entry = { name: string; value: unknown }

/** Only equal values give the same text, whatever the order of their keys. Most strings stay unchanged. */
const canonical = (value: unknown): string =>
  typeof value === 'string' && !value.startsWith('json:') ? value : `json:${printJson(sorted(value))}`

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined && one !== null)
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]))
}

export const fingerprintOf = (workspace: string, value: unknown): string => fingerprint(workspace, canonical(value))

export const fingerprintsOf = (workspace: string, entries: readonly Entry[]): Fingerprint[] =>
  entries.flatMap(({ name, value }) =>
    value === undefined || value === null ? [] : [{ name, hash: fingerprintOf(workspace, value) }],
  )

/** The state that a user sees now. It ignores the order of names, which some servers change on every read. */
export function snapshotOf(workspace: string, raw: RawDeployment, fingerprints: Fingerprint[]): EditSnapshot {
  const ordered = fingerprints.map(({ name, hash }) => JSON.stringify([name, hash])).sort()
  const { updatedAt, latestRevision } = raw
  return { digest: fingerprintOf(workspace, ordered), fingerprints, updatedAt, latestRevision }
}

/**
 * The fields at these paths (`source_config.build_on_push`). A path that ends in `.*` expands to each key of an object;
 * any other value stays one entry.
 */
export function entriesAt(record: Readonly<Record<string, unknown>>, paths: readonly string[]): Entry[] {
  return paths.flatMap((path): Entry[] => {
    const name = path.replace(/\.\*$/, '')
    const value = name.split('.').reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), record)
    if (name === path || !isRecord(value)) return [{ name, value }]
    return Object.entries(value).map(([key, one]) => ({ name: `${name}.${key}`, value: one }))
  })
}

const hash = z.string().max(64)

/** The state that the user saw, sent back by the browser. It decides only whether an edit conflicts and what to show then. */
export const Snapshot = z.strictObject({
  digest: hash,
  fingerprints: z.array(z.strictObject({ name: z.string().max(1_000_000), hash })).max(10_000),
  updatedAt: z.string().max(100).nullable(),
  latestRevision: z.string().max(300).nullable(),
})
