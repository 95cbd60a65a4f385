import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AuditRowsPage, FailureCause, RecentChanges } from '@/lib/contracts/audit/audit-row'
import { buildQuery } from '@/lib/contracts/wire/api'
import { consoleFetch, type RelayError } from './relay-fetch'

/** A page of the audit trail. */
export const auditQuery = (workspace: string, query: Record<string, string>) =>
  queryOptions<AuditRowsPage, RelayError>({
    queryKey: ['audit', workspace, query],
    queryFn: async ({ signal }) =>
      // Our own server wrote the response; only the type is lost.
      (await consoleFetch(`/api/audit/${encodeURIComponent(workspace)}?${buildQuery(query)}`, {
        signal,
      })) as AuditRowsPage,
    placeholderData: keepPreviousData,
  })

const CHANGES_MS = 15_000

/** The newest changes in a workspace, read again every 15 s. */
export const recentChangesQuery = (workspace: string) =>
  queryOptions<RecentChanges, RelayError>({
    queryKey: ['changes', workspace],
    queryFn: async ({ signal }) =>
      (await consoleFetch(`/api/changes/${encodeURIComponent(workspace)}`, { signal })) as RecentChanges,
    refetchInterval: CHANGES_MS,
  })

const CAUSES_MS = 60_000

/** Why revisions failed, by deployment id. `of`: `deployment.revision`. */
export const failureCausesQuery = (workspace: string, of: readonly string[]) =>
  queryOptions<Record<string, FailureCause>, RelayError>({
    queryKey: ['causes', workspace, of],
    queryFn: async ({ signal }) =>
      (await consoleFetch(`/api/causes/${encodeURIComponent(workspace)}?${buildQuery({ of: of.join(',') })}`, {
        signal,
      })) as Record<string, FailureCause>,
    enabled: of.length > 0,
    staleTime: CAUSES_MS,
    placeholderData: keepPreviousData,
  })
