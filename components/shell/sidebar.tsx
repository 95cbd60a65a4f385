'use client'
import { ChevronsUpDown } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { lazy } from 'react'
import { Button } from '@/components/ui/button'
import { Logo } from '@/components/ui/logo'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import { cn } from '@/lib/cn'
import type { Role } from '@/lib/contracts/wire/api'
import { InboxCount } from './inbox-count'
import { navItemsFor } from './navigation/nav'

/** `limitedTo`: how many deployments the member has roles for, without one for the workspace. */
export type ShellWorkspace = { slug: string; name: string; role: Role; limitedTo?: number }
type SidebarProps = { current: ShellWorkspace; workspaces: ShellWorkspace[]; onNavigate?: () => void }

const load = () => import('./workspace-menu').then(({ WorkspaceMenu }) => ({ default: WorkspaceMenu }))
const WorkspaceMenu = lazy(load)

export function Sidebar({ current, workspaces, onNavigate }: SidebarProps) {
  const path = usePathname()
  const trigger = (
    <Button
      variant="ghost"
      className="h-10 w-full justify-start gap-2 px-2 text-ink"
      aria-label={`Workspace ${current.name}. Switch workspace`}
    >
      <Logo className="!size-6" />
      <span className="min-w-0 flex-1 text-left">
        <span className="block truncate font-semibold leading-4">{current.name}</span>
        <span className="block text-2xs text-ink-3 leading-4">
          {current.limitedTo ? 'some deployments' : current.role}
        </span>
      </span>
      <ChevronsUpDown className="text-ink-3" />
    </Button>
  )
  return (
    <div className="flex h-full flex-col gap-3 p-3">
      <MenuOnDemand trigger={trigger} load={load}>
        <WorkspaceMenu trigger={trigger} current={current.slug} workspaces={workspaces} onNavigate={onNavigate} />
      </MenuOnDemand>
      <nav aria-label="Main" className="flex flex-col gap-0.5">
        {navItemsFor(current).map(({ label, href, also, icon: Icon, isExact }) => (
          <Link
            prefetch={false}
            key={label}
            href={href}
            onClick={onNavigate}
            aria-current={(isExact ? path === href : isWithin(path, href) || isWithin(path, also)) ? 'page' : undefined}
            className={cn(
              'flex h-8 items-center gap-2 rounded-md px-2 text-ink-2 hover:bg-hover hover:text-ink',
              'aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink [&[aria-current=page]_svg]:text-accent',
            )}
          >
            <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />
            {label}
            {label === 'Inbox' ? <InboxCount workspace={current.slug} /> : null}
          </Link>
        ))}
      </nav>
    </div>
  )
}

const isWithin = (path: string, place: string | undefined) =>
  place !== undefined && (path === place || path.startsWith(`${place}/`))
