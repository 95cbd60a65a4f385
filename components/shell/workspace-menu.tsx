'use client'
import { Check } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Menu, MenuItem, MenuLabel } from '@/components/ui/menu'
import { routes } from '@/lib/routes'

type WorkspaceMenuProps = {
  trigger: ReactNode
  current: string
  workspaces: { slug: string; name: string }[]
  onNavigate: (() => void) | undefined
}

export function WorkspaceMenu({ trigger, current, workspaces, onNavigate }: WorkspaceMenuProps) {
  return (
    <Menu label="Workspaces" align="start" trigger={trigger} defaultOpen>
      <MenuLabel>Workspaces</MenuLabel>
      {workspaces.map(({ slug, name }) => (
        <MenuItem key={slug} asChild>
          <Link href={routes.deployments(slug)} onClick={onNavigate}>
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {slug === current ? <Check aria-label="current" /> : null}
          </Link>
        </MenuItem>
      ))}
    </Menu>
  )
}
