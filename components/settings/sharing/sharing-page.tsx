'use client'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useSave } from '@/components/shared/form/use-save'
import { PageHeader } from '@/components/shared/layout/page-header'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { allowPublicLinks, revokePublicLink } from '@/lib/actions/public-links'
import type { PublicLink, PublicLinks } from '@/lib/contracts/public-link'
import { count, shortId } from '@/lib/format/format'
import { routes } from '@/lib/routes'

/** Whether the workspace has public links, and which ones. For administrators. */
export function SharingPage({ workspace, isAllowed, links }: PublicLinks & { workspace: string }) {
  const router = useRouter()
  const { isBusy, error, save } = useSave<null>()
  const [asked, setAsked] = useState<PublicLink>()
  const allow = (next: boolean) =>
    void save(
      () => allowPublicLinks({ workspace, isAllowed: next }),
      () => {
        toast.success(next ? 'Public links turned on' : 'Public links turned off')
        router.refresh()
      },
    )
  const actions: Column<PublicLink> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    isAside: true,
    className: 'w-24 text-right',
    cell: (link) => (
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Revoke link to run ${shortId(link.recording)}`}
        onClick={() => setAsked(link)}
      >
        Revoke
      </Button>
    ),
  }
  return (
    <>
      <PageHeader title="Sharing">
        <p className="mt-1 max-w-2xl text-ink-2">
          A public link shows one recorded run to anyone who has the link, read-only and without an account. Developers
          create links from a run. Credentials, names of people and ids of this workspace are removed; messages and
          state are not.
        </p>
      </PageHeader>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <StatusBadge tone={isAllowed ? 'ok' : 'neutral'}>
          {isAllowed ? 'Public links on' : 'Public links off'}
        </StatusBadge>
        <Button
          variant={isAllowed ? 'secondary' : 'primary'}
          size="sm"
          isBusy={isBusy}
          onClick={() => allow(!isAllowed)}
        >
          {isAllowed ? 'Turn off public links' : 'Turn on public links'}
        </Button>
        {isAllowed || links.length === 0 ? null : (
          <span className="text-ink-2">The links below do not open while public links are off.</span>
        )}
      </div>
      {error ? <ErrorNotice error={error} className="mb-4" /> : null}
      <DataTable
        label="Public links"
        columns={[...columnsOf(workspace), actions]}
        rows={links}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No public links">Create one with Share on a run’s page.</EmptyState>}
      />
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={() => setAsked(undefined)}
        title={`Revoke the link to run ${shortId(asked?.recording ?? '')}?`}
        verb="Revoke link"
        action={() => revokePublicLink({ workspace, id: asked?.id ?? '' })}
        onDone={() => {
          toast.success('Link revoked')
          router.refresh()
        }}
      >
        It stops opening at once and cannot be restored.
      </ConfirmDialog>
    </>
  )
}

const columnsOf = (workspace: string): Column<PublicLink>[] => [
  {
    id: 'run',
    header: 'Run',
    className: 'w-full max-w-0',
    cell: ({ deployment, recording, createdBy }) => (
      <span className="block truncate">
        <Link className="font-medium hover:underline" href={routes.recording(workspace, deployment, recording)}>
          Run {shortId(recording)}
        </Link>{' '}
        <span className="text-ink-3">by {createdBy}</span>
      </span>
    ),
  },
  { id: 'expires', header: 'Expires', className: 'w-32', cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
  {
    id: 'opened',
    header: 'Opened',
    from: 'sm',
    className: 'w-40',
    cell: ({ opens, lastOpenedAt }) =>
      lastOpenedAt ? (
        <span className="whitespace-nowrap">
          {count(opens)}×, <RelativeTime at={lastOpenedAt} />
        </span>
      ) : (
        <span className="text-ink-3">Never</span>
      ),
  },
  {
    id: 'created',
    header: 'Created',
    from: 'md',
    className: 'w-32',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
]
