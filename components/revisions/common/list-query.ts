import {
  REVISION_STATUSES,
  REVISION_STATUSES_FAILED,
  REVISION_STATUSES_IN_PROGRESS,
  revisionLabel,
} from '@/lib/contracts/wire/state'

export const PAGE_SIZE = 20

/** What the status filter offers: groups first, then each. Values are the API's comma-separated lists. */
export const STATUS_CHOICES: readonly { value: string; label: string }[] = [
  { value: REVISION_STATUSES_IN_PROGRESS.join(','), label: 'On their way' },
  { value: REVISION_STATUSES_FAILED.join(','), label: 'Failed' },
  ...REVISION_STATUSES.map((status) => ({ value: status, label: revisionLabel(status) })),
]

/** The API's query for what the page's URL says. Unusable values are left out, so that no link is a dead end. */
export function revisionListQueryOf(search: Pick<URLSearchParams, 'get'>) {
  const status = search.get('status')?.trim()
  const offset = Number(search.get('offset') ?? 0)
  return {
    ...(status && { status }),
    limit: PAGE_SIZE,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
  }
}

/** The revisions that can be chosen for a comparison; others are reached by their ids in the URL. */
export const COMPARABLE = { limit: 100, offset: 0 }
