'use server'
import { z } from 'zod'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Result } from '@/lib/errors'
import type { Actor } from '@/lib/server/access/actor'
import {
  eraseDirectServer,
  insertDirectServer,
  NewDirectServer,
  ServerAddress,
} from '@/lib/server/access/direct-servers'
import {
  ControlPlaneDraft,
  changeWorkspace,
  eraseWorkspace,
  insertWorkspace,
  NewWorkspace,
  WorkspaceChange,
  withStoredKeys,
} from '@/lib/server/access/workspace-settings'
import { guardAction } from '@/lib/server/audit/guard-action'
import { audited, type RecordWrite } from '@/lib/server/audit/own-records'
import { parseInput } from '@/lib/server/process/result'
import {
  type AgentServerFound,
  askAgentServer,
  askControlPlane,
  type ControlPlaneFound,
} from '@/lib/server/resources/connection-test'

// Workspaces decide where keys are sent and which machines the console may reach, so every action here needs an admin of
// the whole console, not only of the workspace.

const Slug = z.string().min(1).max(80)

/** The names of the given fields, one level deep, such as `keys.apiKey`. Never their values. */
const fieldsOf = (given: object): string[] =>
  Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return []
    return value && DEEP.has(name) ? Object.keys(value).map((key) => `${name}.${key}`) : [name]
  })
const DEEP: ReadonlySet<string> = new Set(['keys', 'traces'])

const write = (
  actor: Actor,
  workspace: string,
  requestId: string,
  fields: string[] = [],
  params: Record<string, string> = {},
): RecordWrite => ({ actor, workspace, requestId, fields, params })

export async function createWorkspace(given: NewWorkspace): Promise<Result<{ slug: string }>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(NewWorkspace, given)
    return audited(consoleRecords.createWorkspace, write(actor, input.slug, requestId, fieldsOf(input)), async () => {
      await insertWorkspace(input)
      return { slug: input.slug }
    })
  })
}

/** `hasDroppedKeys` means that the address moved to another origin, so the keys for the old one were removed. */
export async function updateWorkspace(
  workspace: string,
  change: WorkspaceChange,
): Promise<Result<{ hasDroppedKeys: boolean }>> {
  return guardAction(async ({ actor, requestId }) => {
    const slug = parseInput(Slug, workspace)
    const input = parseInput(WorkspaceChange, change)
    return audited(consoleRecords.updateWorkspace, write(actor, slug, requestId, fieldsOf(input)), () =>
      changeWorkspace(slug, input),
    )
  })
}

export async function deleteWorkspace(workspace: string): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const slug = parseInput(Slug, workspace)
    return audited(consoleRecords.deleteWorkspace, write(actor, slug, requestId), async () => {
      await eraseWorkspace(slug)
      return null
    })
  })
}

/** Asks a control plane with the given keys, or with the stored ones of the workspace. Saves nothing. */
export async function testControlPlane(given: ControlPlaneDraft): Promise<Result<ControlPlaneFound>> {
  return guardAction(async ({ actor, requestId }) => {
    const draft = parseInput(ControlPlaneDraft, given)
    const entry = write(actor, draft.slug ?? '', requestId, fieldsOf(draft))
    return audited(consoleRecords.testControlPlane, entry, async () =>
      askControlPlane(await withStoredKeys(draft), requestId),
    )
  })
}

/** Asks an agent server with the given key. Saves nothing. */
export async function testAgentServer(workspace: string, server: ServerAddress): Promise<Result<AgentServerFound>> {
  return guardAction(async ({ actor, requestId }) => {
    const slug = parseInput(Slug, workspace)
    const input = parseInput(ServerAddress, server)
    return audited(consoleRecords.testAgentServer, write(actor, slug, requestId, fieldsOf(input)), () =>
      askAgentServer(input, requestId),
    )
  })
}

export async function addDirectServer(workspace: string, server: NewDirectServer): Promise<Result<{ id: string }>> {
  return guardAction(async ({ actor, requestId }) => {
    const slug = parseInput(Slug, workspace)
    const input = parseInput(NewDirectServer, server)
    return audited(consoleRecords.addDirectServer, write(actor, slug, requestId, fieldsOf(input)), () =>
      insertDirectServer(slug, input),
    )
  })
}

export async function removeDirectServer(workspace: string, server: string): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const slug = parseInput(Slug, workspace)
    const id = parseInput(z.uuid(), server)
    return audited(consoleRecords.removeDirectServer, write(actor, slug, requestId, [], { server: id }), async () => {
      await eraseDirectServer(slug, id)
      return null
    })
  })
}
