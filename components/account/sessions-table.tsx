'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { usePages } from '@/components/shared/list/use-pages'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { endSession } from '@/lib/actions/account'
import type { SessionView } from '@/lib/contracts/session'
import { browserName } from '@/lib/format/browser-name'

type Props = { account: string; sessions: SessionView[] }

/** The sessions of an account. Each but the one that reads the list can be ended. */
export function SessionsTable({ account, sessions }: Props) {
  const router = useRouter()
  const [asked, setAsked] = useState<SessionView>()
  const pages = usePages(
    sessions,
    'Search by browser or address',
    ({ browser, address }) => `${browserName(browser)} ${address ?? ''}`,
  )
  const actions: Column<SessionView> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    isAside: true,
    className: 'w-20 text-right',
    cell: (session) =>
      session.isCurrent ? null : (
        <Button
          size="sm"
          variant="ghost"
          aria-label={`End session of ${browserName(session.browser)}`}
          onClick={() => setAsked(session)}
        >
          End
        </Button>
      ),
  }
  return (
    <>
      {pages.search}
      <DataTable
        label="Sessions"
        columns={[...COLUMNS, actions]}
        rows={pages.rows}
        rowKey={({ id }) => id}
        empty={
          pages.noMatch ?? <EmptyState title="Not signed in">No browser has a session of this account.</EmptyState>
        }
      />
      {pages.pager}
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={() => setAsked(undefined)}
        title={`End the session of ${browserName(asked?.browser ?? null)}?`}
        verb="End session"
        action={() => endSession({ account, session: asked?.id ?? '' })}
        onDone={() => {
          toast.success('Session ended')
          router.refresh()
        }}
      >
        That browser has to sign in again. What it has open stops updating.
      </ConfirmDialog>
    </>
  )
}

const COLUMNS: Column<SessionView>[] = [
  {
    id: 'browser',
    header: 'Browser',
    className: 'w-full max-w-0',
    cell: ({ browser, isCurrent }) => (
      <span className="flex items-center gap-2">
        <span className="truncate font-medium" title={browser ?? undefined}>
          <VisibleText>{browserName(browser)}</VisibleText>
        </span>
        {isCurrent ? <Badge>this browser</Badge> : null}
      </span>
    ),
  },
  {
    id: 'address',
    header: 'Address',
    from: 'sm',
    className: 'w-40 text-ink-2',
    cell: ({ address }) => <VisibleText>{address ?? 'unknown'}</VisibleText>,
  },
  {
    id: 'seen',
    header: 'Last seen',
    className: 'w-32',
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
  {
    id: 'started',
    header: 'Signed in',
    from: 'md',
    className: 'w-32',
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
]
