'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { Button } from '@/components/ui/button'
import type { SavedEdit } from '@/lib/edit'
import { deploymentQuery } from '@/lib/queries/deployments'
import type { Paste } from './add-secret'

export const SavedNotice = ({
  saved,
  onDismiss,
  children,
}: {
  saved: SavedEdit
  onDismiss: () => void
  children: ReactNode
}) => (
  <Notice tone={saved.note ? 'warn' : 'ok'} onDismiss={onDismiss}>
    {saved.revision ? 'Saved. ' : saved.note ? '' : 'Saved; the server named no new revision. '}
    {saved.note ? `${saved.note} ` : ''}
    {children}
  </Notice>
)

/** What was read of a pasted text, and what was not. */
export const PasteNotice = ({ paste, onDismiss }: { paste: Paste; onDismiss: () => void }) => (
  <Notice tone={paste.problems.length > 0 ? 'warn' : 'ok'} onDismiss={onDismiss}>
    {paste.count} {paste.count === 1 ? 'value' : 'values'} put into the draft
    {paste.comments > 0 ? `; ${paste.comments} ${paste.comments === 1 ? 'comment' : 'comments'} left out` : ''}.
    {paste.problems.length > 0 ? (
      <ul className="pt-1 text-xs">
        {paste.problems.map(({ line, message }) => (
          <li key={line}>
            Line {line} was not read: {message.charAt(0).toLowerCase() + message.slice(1)}.
          </li>
        ))}
      </ul>
    ) : null}
  </Notice>
)

export const MissingNotice = ({ names }: { names: string[] }) => (
  <Notice tone="warn">
    Set from this console and not removed from it, yet not in the server's list:{' '}
    <code className="break-all font-mono text-xs">{names.join(', ')}</code>. Either they were removed elsewhere, or the
    list is not whole: then sending it would remove the rest.
  </Notice>
)

/** The page was read before the newest revision: it says so, and what is typed stays. */
export function StaleListNotice({
  place,
  latest,
  at,
  onRead,
}: {
  place: { workspace: string; deployment: string }
  latest: string | null
  /** When the list was read, where that was in the browser. */
  at: number
  onRead: () => void
}) {
  const { data, dataUpdatedAt } = useQuery(deploymentQuery(place.workspace, place.deployment))
  const now = data?.latest_revision_id ?? null
  if (!data || now === latest || dataUpdatedAt < at) return null
  return (
    <Notice tone="warn">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1">
          The deployment has another revision since this list was read. Your draft is kept.
        </span>
        <Button size="sm" onClick={onRead}>
          Read it again
        </Button>
      </div>
    </Notice>
  )
}
