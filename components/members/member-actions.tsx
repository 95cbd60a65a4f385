'use client'
import { Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu'
import { toast } from '@/components/ui/toast'
import { disableMember, resetMemberPassword, setRole } from '@/lib/actions/members'
import type { Rights } from '@/lib/contracts/wire/rights'
import { routes } from '@/lib/routes'
import type { ShownPassword } from './new-password'

export type MemberShown = Rights & {
  account: string
  email: string
  name: string
  /** Whether the role comes from a console-wide membership. */
  isEverywhere: boolean
  signsInWith: string[]
  isDisabled: boolean
}
type MemberActionsProps = {
  workspace: string
  member: MemberShown
  isSelf: boolean
  /** Why accounts cannot be changed; undefined if they can. */
  accountReason: string | undefined
  onPassword: (password: ShownPassword) => void
}

export function MemberActions({ workspace, member, isSelf, accountReason, onPassword }: MemberActionsProps) {
  const router = useRouter()
  const [asked, setAsked] = useState<'password' | 'disable' | 'remove'>()
  const { account, email, isDisabled, isEverywhere } = member
  const close = () => setAsked(undefined)
  const done = (said: string) => {
    toast.success(said)
    router.refresh()
  }
  const memberReason = useReasons().administer ?? (isEverywhere ? 'This role applies to the whole console.' : undefined)

  return (
    <>
      <Menu
        label={`Actions for ${email}`}
        trigger={
          <Button variant="ghost" size="icon" aria-label={`Actions for ${email}`}>
            <Ellipsis />
          </Button>
        }
      >
        <MenuItem
          reason={isSelf ? undefined : accountReason}
          onSelect={() => router.push(isSelf ? routes.account(workspace) : routes.memberSessions(workspace, account))}
        >
          Sessions
        </MenuItem>
        <MenuItem
          reason={isSelf ? 'Change your own password in the account menu.' : accountReason}
          onSelect={() => setAsked('password')}
        >
          Reset password
        </MenuItem>
        <MenuItem
          reason={isSelf ? 'You cannot disable your own account.' : accountReason}
          onSelect={() => setAsked('disable')}
        >
          {isDisabled ? 'Enable' : 'Disable'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem tone="danger" reason={memberReason} onSelect={() => setAsked('remove')}>
          Remove from workspace
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asked === 'password'}
        onOpenChange={close}
        title={`Reset the password of ${email}?`}
        verb="Reset password"
        action={async () => {
          const result = await resetMemberPassword({ account })
          if (result.ok) onPassword({ email, value: result.data.password })
          return result
        }}
        onDone={() => router.refresh()}
      >
        The old password and their passkeys stop working, and all their sessions end. The new password is shown once.
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'disable'}
        onOpenChange={close}
        title={`${isDisabled ? 'Enable' : 'Disable'} ${email}?`}
        verb={isDisabled ? 'Enable' : 'Disable'}
        action={() => disableMember({ account, isDisabled: !isDisabled })}
        onDone={() => done(isDisabled ? `Enabled ${email}` : `Disabled ${email}`)}
      >
        {isDisabled
          ? 'They can sign in again, with their previous roles.'
          : 'Their sessions end and they cannot sign in to any workspace. You can enable them again.'}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'remove'}
        onOpenChange={close}
        title={`Remove ${email} from this workspace?`}
        verb="Remove member"
        action={() => setRole({ workspace, account, role: null })}
        onDone={() => done(`Removed ${email}`)}
      >
        They lose access to this workspace. Their account and other roles are kept.
      </ConfirmDialog>
    </>
  )
}
