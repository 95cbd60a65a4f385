'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useReasons } from '@/components/shared/layout/rights'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { revokeInvitation } from '@/lib/actions/invitations'
import type { InvitationView } from '@/lib/contracts/invitation'
import { rightsInWords } from './rights-words'

type InvitationsProps = { workspace: string; invitations: InvitationView[]; names: Record<string, string> }

/** The links that can still be used. */
export function Invitations({ workspace, invitations, names }: InvitationsProps) {
  const router = useRouter()
  const reason = useReasons().administer
  const [asked, setAsked] = useState<InvitationView>()
  if (invitations.length === 0) return null
  const actions: Column<InvitationView> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    isAside: true,
    className: 'w-24 text-right',
    cell: (invitation) => (
      <Button
        size="sm"
        variant="ghost"
        reason={reason}
        aria-label={`Revoke the invitation of ${invitation.email}`}
        onClick={() => setAsked(invitation)}
      >
        Revoke
      </Button>
    ),
  }
  return (
    <section aria-label="Open invitations" className="mt-6">
      <SectionHeader title="Open invitations" />
      <DataTable
        label="Open invitations"
        columns={[...columnsFor(names), actions]}
        rows={invitations}
        rowKey={({ id }) => id}
        empty={null}
      />
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={() => setAsked(undefined)}
        title={`Revoke the invitation of ${asked?.email ?? ''}?`}
        verb="Revoke invitation"
        action={() => revokeInvitation({ workspace, id: asked?.id ?? '' })}
        onDone={() => {
          toast.success('Invitation revoked')
          router.refresh()
        }}
      >
        The link stops working. You can create a new one.
      </ConfirmDialog>
    </section>
  )
}

const columnsFor = (names: Record<string, string>): Column<InvitationView>[] => [
  {
    id: 'email',
    header: 'Email',
    className: 'w-full max-w-0',
    cell: ({ email }) => (
      <span className="block truncate font-medium" title={email}>
        {email}
      </span>
    ),
  },
  { id: 'role', header: 'Role', from: 'sm', className: 'w-56', cell: (invitation) => rightsInWords(invitation, names) },
  {
    id: 'expires',
    header: 'Expires',
    className: 'w-32',
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
  },
  {
    id: 'by',
    header: 'Invited by',
    from: 'md',
    className: 'w-56 max-w-56 text-ink-2',
    cell: ({ createdBy }) => (
      <span className="block truncate" title={createdBy}>
        {createdBy}
      </span>
    ),
  },
]
