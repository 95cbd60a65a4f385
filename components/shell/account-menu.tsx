'use client'
import { KeyRound, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type ReactNode, useSyncExternalStore } from 'react'
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu'
import type { Role } from '@/lib/contracts/wire/api'
import { routes } from '@/lib/routes'
import { applyTheme, onThemeChange, readTheme, type Theme } from './early/theme'
import { limitSentence } from './limit-sentence'
import { endSession } from './sign-out'

const THEMES = [
  { value: 'system', label: 'System theme', icon: <Monitor aria-hidden /> },
  { value: 'light', label: 'Light theme', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark theme', icon: <Moon aria-hidden /> },
] as const

type AccountMenuProps = {
  trigger: ReactNode
  email: string
  workspace: string
  workspaceRole: Role
  limitedTo?: number
  onChangePassword: () => void
}

export function AccountMenu(props: AccountMenuProps) {
  const { trigger, email, workspace, workspaceRole, limitedTo, onChangePassword } = props
  const router = useRouter()
  const theme = useSyncExternalStore<Theme>(onThemeChange, readTheme, () => 'system')
  return (
    <Menu label="Account" trigger={trigger} defaultOpen>
      <div className="max-w-64 px-2 py-1">
        <p className="truncate font-medium" title={email}>
          {email}
        </p>
        <p className="text-ink-3 text-xs">
          {limitedTo ? limitSentence(limitedTo) : `${workspaceRole} in this workspace`}
        </p>
      </div>
      <MenuSeparator />
      <MenuLabel>Appearance</MenuLabel>
      <MenuChoices label="Theme" value={theme} onValueChange={applyTheme} choices={THEMES} />
      <MenuSeparator />
      <MenuItem onSelect={() => router.push(routes.account(workspace))}>
        <UserRound aria-hidden />
        Your account
      </MenuItem>
      <MenuItem onSelect={onChangePassword}>
        <KeyRound aria-hidden />
        Change password
      </MenuItem>
      <MenuItem onSelect={() => void endSession()}>
        <LogOut aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  )
}
