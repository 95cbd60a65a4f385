'use client'
import { CircleUser, KeyRound, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState, useSyncExternalStore } from 'react'
import { Button } from '@/components/ui/button'
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu'
import type { Role } from '@/lib/contracts/api'
import { leave } from './leave'
import { applyTheme, onThemeChange, readTheme, type Theme } from './theme'

const ChangePassword = dynamic(() => import('./change-password').then((module) => module.ChangePassword), {
  ssr: false,
})

const THEMES = [
  { value: 'system', label: 'System theme', icon: <Monitor aria-hidden /> },
  { value: 'light', label: 'Light theme', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark theme', icon: <Moon aria-hidden /> },
] as const

export function UserMenu({ email, workspaceRole }: { email: string; workspaceRole: Role }) {
  const [isChanging, setChanging] = useState(false)
  const theme = useSyncExternalStore<Theme>(onThemeChange, readTheme, () => 'system')
  return (
    <>
      <Menu
        label="Account"
        trigger={
          <Button variant="ghost" size="icon" aria-label="Account menu">
            <CircleUser className="!size-4" />
          </Button>
        }
      >
        <div className="max-w-64 px-2 py-1">
          <p className="truncate font-medium" title={email}>
            {email}
          </p>
          <p className="text-ink-3 text-xs">{workspaceRole} in this workspace</p>
        </div>
        <MenuSeparator />
        <MenuLabel>Appearance</MenuLabel>
        <MenuChoices label="Theme" value={theme} onValueChange={applyTheme} choices={THEMES} />
        <MenuSeparator />
        <MenuItem onSelect={() => setChanging(true)}>
          <KeyRound aria-hidden />
          Change password
        </MenuItem>
        <MenuItem onSelect={() => void leave()}>
          <LogOut aria-hidden />
          Sign out
        </MenuItem>
      </Menu>
      {isChanging ? <ChangePassword open onOpenChange={setChanging} /> : null}
    </>
  )
}
