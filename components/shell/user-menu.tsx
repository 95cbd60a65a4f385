'use client'
import { CircleUser } from 'lucide-react'
import dynamic from 'next/dynamic'
import { lazy, useState } from 'react'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import type { Role } from '@/lib/contracts/wire/api'

const load = () => import('./account-menu').then(({ AccountMenu }) => ({ default: AccountMenu }))
const AccountMenu = lazy(load)
const ChangePassword = dynamic(() => import('./change-password').then((module) => module.ChangePassword), {
  ssr: false,
})

const trigger = (
  <Button variant="ghost" size="icon" aria-label="Account menu">
    <CircleUser className="!size-4" />
  </Button>
)

type UserMenuProps = { email: string; workspace: string; workspaceRole: Role; limitedTo?: number }

export function UserMenu({ email, workspace, workspaceRole, limitedTo }: UserMenuProps) {
  const [isChanging, setChanging] = useState(false)
  return (
    <>
      <MenuOnDemand trigger={trigger} load={load}>
        <AccountMenu
          trigger={trigger}
          email={email}
          workspace={workspace}
          workspaceRole={workspaceRole}
          limitedTo={limitedTo}
          onChangePassword={() => setChanging(true)}
        />
      </MenuOnDemand>
      {isChanging ? <ChangePassword open onOpenChange={setChanging} /> : null}
    </>
  )
}
