'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useReasons } from '@/components/shared/layout/rights'
import type { Column } from '@/components/shared/list/data-table'
import { ListPage } from '@/components/shared/list/list-page'
import { usePages } from '@/components/shared/list/use-pages'
import { Badge, StatusBadge } from '@/components/ui/badge'
import { Select } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { setRole } from '@/lib/actions/members'
import type { InvitationView } from '@/lib/contracts/invitation'
import type { Role } from '@/lib/contracts/wire/api'
import { AddMember } from './add-member'
import { RoleOptions, SOME } from './given-rights'
import { Invitations } from './invitations'
import { InviteDialog } from './invite-dialog'
import { MemberActions, type MemberShown } from './member-actions'
import { NewPassword, type ShownPassword } from './new-password'
import { rightsInWords } from './rights-words'
import { RolesDialog } from './roles-dialog'

type MembersPageProps = {
  workspace: string
  members: MemberShown[]
  /** Names of the deployments that members have roles for. */
  names: Record<string, string>
  invitations: InvitationView[]
  self: string
  administersAccounts: boolean
  /** Of this console's address. */
  origin: string
}

const WHOLE_CONSOLE = 'Requires the admin role for the whole console.'

export function MembersPage(props: MembersPageProps) {
  const { workspace, members, names, invitations, self, administersAccounts, origin } = props
  const [isInviting, setInviting] = useState(false)
  const [password, setPassword] = useState<ShownPassword>()
  const { role, error, dialog } = useRoleChange(workspace, names)
  const pages = usePages(members, 'Search by email', ({ email }) => email)
  const accountReason = administersAccounts ? undefined : WHOLE_CONSOLE

  const columns: Column<MemberShown>[] = [
    {
      id: 'account',
      header: 'Account',
      className: 'w-full max-w-0',
      cell: (member) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium" title={member.email}>
            {member.email}
          </span>
          {member.account === self ? <Badge>you</Badge> : null}
          {member.isDisabled ? <StatusBadge tone="error">Disabled</StatusBadge> : null}
        </span>
      ),
    },
    { id: 'role', header: 'Role', className: 'w-56', cell: role },
    {
      id: 'signs-in',
      header: 'Signs in with',
      from: 'md',
      className: 'text-ink-2',
      cell: ({ signsInWith }) => signsInWith.join(', ') || 'not yet',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      className: 'w-14 text-right',
      cell: (member) => (
        <MemberActions
          workspace={workspace}
          member={member}
          isSelf={member.account === self}
          accountReason={accountReason}
          onPassword={setPassword}
        />
      ),
    },
  ]
  return (
    <ListPage
      label="Members"
      header={
        <PageHeader title="Members">
          <p className="mt-1 max-w-2xl text-ink-2">
            Viewers see everything except the audit trail, members and secret values. Developers also run agents and
            edit assistants and threads. Admins also see the rest and change deployments, secrets and members, and those
            marked everywhere also workspaces and accounts. A role may be for some deployments only.
          </p>
        </PageHeader>
      }
      above={
        <>
          <AddMember workspace={workspace} onPassword={setPassword} onInvite={() => setInviting(true)} />
          {error ? <ErrorNotice error={error} className="mb-3" /> : null}
          {pages.search}
        </>
      }
      rows={pages.rows}
      columns={columns}
      rowKey={(member) => `${member.account} ${member.isEverywhere}`}
      empty={pages.noMatch ?? <EmptyState title="No members yet">Add the first one above.</EmptyState>}
      pager={pages.pager}
    >
      <Invitations workspace={workspace} invitations={invitations} names={names} />
      {dialog}
      {isInviting ? <InviteDialog workspace={workspace} origin={origin} onClose={() => setInviting(false)} /> : null}
      {password ? <NewPassword password={password} onClose={() => setPassword(undefined)} /> : null}
    </ListPage>
  )
}

/** A role select that saves at once, with a dialog for roles of deployments; `error` is why the last change failed. */
function useRoleChange(workspace: string, names: Record<string, string>) {
  const router = useRouter()
  const reason = useReasons().administer
  const [edited, setEdited] = useState<MemberShown>()
  const { isBusy, error, save } = useSave<null>()
  const change = (member: MemberShown, role: Role) => {
    const { account, deployments } = member
    // The server drops what the role includes.
    void save(
      () => setRole({ workspace, account, role, deployments }),
      () => {
        toast.success(`${member.email} is now ${role}.`)
        router.refresh()
      },
    )
  }
  const role = (member: MemberShown) =>
    member.isEverywhere ? (
      <span className="whitespace-nowrap">
        {member.role} <Badge title="Applies to every workspace">everywhere</Badge>
      </span>
    ) : (
      <div className="flex flex-col items-start gap-1">
        <Select
          aria-label={`Role of ${member.email}`}
          className="h-7 w-auto max-w-full"
          value={member.role ?? SOME}
          disabled={isBusy || Boolean(reason)}
          title={reason}
          onChange={
            ({ target }) =>
              target.value === SOME ? setEdited({ ...member, role: null }) : change(member, target.value as Role) // the other options are the roles
          }
        >
          <RoleOptions />
        </Select>
        {Object.keys(member.deployments).length > 0 ? (
          <button
            type="button"
            className="text-left text-ink-2 text-xs [overflow-wrap:anywhere] hover:underline disabled:no-underline"
            disabled={Boolean(reason)}
            title="Change these roles"
            onClick={() => setEdited(member)}
          >
            {rightsInWords(member, names)}
          </button>
        ) : null}
      </div>
    )
  const dialog = edited ? (
    <RolesDialog
      workspace={workspace}
      member={edited}
      names={names}
      onClose={() => setEdited(undefined)}
      onSaved={() => {
        setEdited(undefined)
        // The list then tells them with the names of the deployments.
        toast.success(`Roles of ${edited.email} saved`)
        router.refresh()
      }}
    />
  ) : null
  return { role, error, dialog }
}
