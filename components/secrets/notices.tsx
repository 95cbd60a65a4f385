'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { Button } from '@/components/ui/button'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
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
    {saved.revision ? 'Saved. ' : saved.note ? '' : 'Saved. The server did not report a new revision. '}
    {saved.note ? `${saved.note} ` : ''}
    {children}
  </Notice>
)

/** The result of reading a pasted .env file. */
export const PasteNotice = ({ paste, onDismiss }: { paste: Paste; onDismiss: () => void }) => (
  <Notice tone={paste.problems.length > 0 ? 'warn' : 'ok'} onDismiss={onDismiss}>
    {paste.count} {paste.count === 1 ? 'value' : 'values'} put into the draft
    {paste.comments > 0 ? `; ${paste.comments} ${paste.comments === 1 ? 'comment' : 'comments'} skipped` : ''}.
    {paste.problems.length > 0 ? (
      <ul className="pt-1 text-xs">
        {paste.problems.map(({ line, message }) => (
          <li key={line}>
            Line {line} skipped: {message.charAt(0).toLowerCase() + message.slice(1)}.
          </li>
        ))}
      </ul>
    ) : null}
  </Notice>
)

export const MissingNotice = ({ names }: { names: string[] }) => (
  <Notice tone="warn">
    Set from this console but missing from the server's list:{' '}
    <code className="break-all font-mono text-xs">{names.join(', ')}</code>. They were removed elsewhere, or the list is
    incomplete. Saving an incomplete list removes the rest.
  </Notice>
)

/** Shown when a newer revision exists than the one this list was read from. The draft is kept. */
export function StaleListNotice({
  place,
  latest,
  at,
  onRead,
}: {
  place: DeploymentPlace
  latest: string | null
  /** When the browser read the list; 0 if the server did. */
  at: number
  onRead: () => void
}) {
  const { data, dataUpdatedAt } = useQuery(deploymentQuery(place.workspace, place.deploymentId))
  const now = data?.latest_revision_id ?? null
  if (!data || now === latest || dataUpdatedAt < at) return null
  return (
    <Notice tone="warn">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1">
          There is a newer revision. Reload the list to see its secrets. Your draft is kept.
        </span>
        <Button size="sm" onClick={onRead}>
          Reload list
        </Button>
      </div>
    </Notice>
  )
}
