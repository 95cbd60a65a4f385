import 'server-only'
import { DEFAULT_DIALECT, type Dialect, detectDialect } from '@/lib/contracts/wire/dialect'
import type { Workspace } from '../access/workspaces'

const shared = globalThis as unknown as { pilothouseDialects?: Map<string, Dialect> }
const learned = () => {
  shared.pilothouseDialects ??= new Map()
  return shared.pilothouseDialects
}
/** Includes the address: another control plane may use another dialect. */
const keyOf = ({ slug, baseUrl }: Workspace) => JSON.stringify([slug, baseUrl])

/** How requests to this workspace's servers spell their keys: as configured, or as learned from its first record. */
export const dialectOf = (workspace: Workspace): Dialect =>
  workspace.dialect === 'auto' ? (learned().get(keyOf(workspace)) ?? DEFAULT_DIALECT) : workspace.dialect

/** Learns from a response of the control plane. Call it before the keys are translated. */
export function learnDialect(workspace: Workspace, response: unknown): void {
  if (workspace.dialect !== 'auto' || learned().has(keyOf(workspace))) return
  const dialect = detectDialect(response)
  if (dialect) learned().set(keyOf(workspace), dialect)
}
