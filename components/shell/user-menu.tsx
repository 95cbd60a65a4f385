'use client'
import { CircleUser, KeyRound, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { signOut } from 'next-auth/react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu'
import { routes } from '@/lib/routes'
import { ChangePassword } from './change-password'
import { applyTheme, type Theme } from './theme'

const THEMES: { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: 'system', label: 'System theme', icon: Monitor },
  { value: 'light', label: 'Light theme', icon: Sun },
  { value: 'dark', label: 'Dark theme', icon: Moon },
]

export function UserMenu({ email }: { email: string }) {
  const [isChanging, setChanging] = useState(false)
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
        <MenuLabel>{email}</MenuLabel>
        <MenuSeparator />
        {THEMES.map(({ value, label, icon: Icon }) => (
          <MenuItem key={value} onSelect={() => applyTheme(value)}>
            <Icon aria-hidden />
            {label}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onSelect={() => setChanging(true)}>
          <KeyRound aria-hidden />
          Change password
        </MenuItem>
        <MenuItem onSelect={() => void signOut({ callbackUrl: routes.signIn() })}>
          <LogOut aria-hidden />
          Sign out
        </MenuItem>
      </Menu>
      <ChangePassword open={isChanging} onOpenChange={setChanging} />
    </>
  )
}
