'use client'
import { CircleHelp, Menu as MenuIcon, Search } from 'lucide-react'
import dynamic from 'next/dynamic'
import { usePathname } from 'next/navigation'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { keepRecentOf } from '@/components/shared/layout/recent'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { fillsWindow } from '@/components/ui/styles'
import { withBasePath } from '@/lib/base-path'
import { cn } from '@/lib/cn'
import { LiveBadge } from './live-badge'
import { Breadcrumb } from './navigation/breadcrumb'
import { helpFor } from './navigation/help'
import { NavigationBar } from './navigation/navigation-bar'
import { PaletteLoading } from './palette-loading'
import { type ShellWorkspace, Sidebar } from './sidebar'
import { useFocusInPage } from './use-focus-in-page'
import { useShellKeys } from './use-shell-keys'
import { UserMenu } from './user-menu'

// Loaded on first use.
const Palette = lazy(() => import('./palette').then((module) => ({ default: module.Palette })))
const NavigationSheet = dynamic(() => import('./navigation-sheet').then((module) => module.NavigationSheet), {
  ssr: false,
})
const Shortcuts = dynamic(() => import('./shortcuts').then((module) => module.Shortcuts), { ssr: false })

type ShellProps = { email: string; current: ShellWorkspace; workspaces: ShellWorkspace[]; children: ReactNode }

export function Shell({ email, current, workspaces, children }: ShellProps) {
  const [open, setOpen] = useState<'none' | 'palette' | 'shortcuts' | 'navigation'>('none')
  const close = () => setOpen('none')
  const pathname = usePathname()
  const help = helpFor(pathname)
  useEffect(() => keepRecentOf(email), [email])

  useFocusInPage(pathname)
  useShellKeys(current, (what) => setOpen((now) => (now === 'palette' && what === now ? 'none' : what)))

  return (
    <div className={cn('flex', fillsWindow.frame)}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-panel px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh w-52 shrink-0 border-r bg-panel lg:block">
        <Sidebar current={current} workspaces={workspaces} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-30 flex h-12 shrink-0 items-center gap-2 border-b bg-panel/95 px-3 backdrop-blur sm:px-5">
          <Button
            variant="ghost"
            size="icon"
            className="lg:hidden"
            aria-label="Open navigation"
            onClick={() => setOpen('navigation')}
          >
            <MenuIcon />
          </Button>
          <Breadcrumb workspace={current.slug} />
          <LiveBadge />
          <button
            type="button"
            aria-label="Search"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={() => setOpen('palette')}
            className="flex h-7 items-center gap-2 rounded-md border bg-sunken px-2 text-ink-3 hover:border-line-strong md:w-52"
          >
            <Search aria-hidden className="size-3.5" />
            <span className="hidden flex-1 text-left md:block">Search…</span>
            <span className="hidden md:block">
              <Kbd>Ctrl K</Kbd>
            </span>
          </button>
          <Button asChild variant="ghost" size="icon">
            <a
              href={withBasePath(help)}
              target="_blank"
              rel="noreferrer"
              aria-label="Help for this page"
              title="Help for this page"
            >
              <CircleHelp aria-hidden className="!size-4" />
            </a>
          </Button>
          <UserMenu email={email} workspace={current.slug} workspaceRole={current.role} limitedTo={current.limitedTo} />
        </header>
        <main
          id="main"
          tabIndex={-1}
          className={cn(
            'mx-auto flex w-full max-w-[1400px] flex-1 flex-col px-3 py-5 outline-none sm:px-6',
            fillsWindow.main,
          )}
        >
          <NavigationBar />
          {children}
        </main>
      </div>
      {open === 'navigation' ? <NavigationSheet current={current} workspaces={workspaces} onClose={close} /> : null}
      {open === 'palette' ? (
        <Suspense fallback={<PaletteLoading onClose={close} />}>
          <Palette current={current} workspaces={workspaces} onClose={close} />
        </Suspense>
      ) : null}
      {open === 'shortcuts' ? <Shortcuts current={current} help={help} onClose={close} /> : null}
    </div>
  )
}
