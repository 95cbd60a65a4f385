import {
  REVISION_STATUSES,
  REVISION_STATUSES_FAILED,
  REVISION_STATUSES_IN_PROGRESS,
  revisionLabel,
} from '@/lib/contracts/wire/state'

export const PAGE_SIZE = 20

/** The choices of the status filter: groups first, then single statuses. Values are the API's comma-separated lists. */
export const STATUS_CHOICES: readonly { value: string; label: string }[] = [
  { value: REVISION_STATUSES_IN_PROGRESS.join(','), label: 'In progress' },
  { value: REVISION_STATUSES_FAILED.join(','), label: 'Failed' },
  ...REVISION_STATUSES.map((status) => ({ value: status, label: revisionLabel(status) })),
]

/** The API query for the page's URL. Invalid values are dropped, so that old links still work. */
export function revisionListQueryOf(search: Pick<URLSearchParams, 'get'>) {
  const status = search.get('status')?.trim()
  const offset = Number(search.get('offset') ?? 0)
  return {
    ...(status && { status }),
    limit: PAGE_SIZE,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
  }
}

/** The revisions offered for a comparison. Older ones can be compared by putting their ids in the URL. */
export const COMPARABLE = { limit: 100, offset: 0 }
