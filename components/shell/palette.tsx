'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Boxes, LayoutGrid, Moon, Play, Sun } from 'lucide-react'
import type { Route } from 'next'
import { useRouter } from 'next/navigation'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { VisibleName } from '@/components/shared/visible-name'
import { isAtLeast } from '@/lib/contracts/api'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { placesOf } from './nav'
import type { ShellWorkspace } from './sidebar'
import { applyTheme } from './theme'

type PaletteProps = { current: ShellWorkspace; workspaces: ShellWorkspace[]; onClose: () => void }

const group =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-ink-3'

/** Every place by its name; deployments are searched on the server. */
export function Palette({ current, workspaces, onClose }: PaletteProps) {
  const router = useRouter()
  const [text, setText] = useState('')
  const name = useDeferredValue(text.trim())
  const found = useQuery({
    ...deploymentsQuery(current.slug, { limit: 8, ...(name && { name_contains: name }) }),
    placeholderData: keepPreviousData,
  })
  const act = (verb: () => void) => () => {
    onClose()
    verb()
  }
  const go = (href: Route) => act(() => router.push(href))

  return (
    <Command.Dialog
      open
      onOpenChange={onClose}
      label="Go to"
      loop
      overlayClassName="fixed inset-0 z-40 bg-black/40"
      contentClassName="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-lg border bg-panel shadow-pop"
    >
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Go to a deployment, a page, a workspace…"
        className="h-11 w-full border-b bg-transparent px-4 text-base outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1">
        <Command.Empty className="px-3 py-6 text-center text-ink-2">Nothing has that name.</Command.Empty>
        <Command.Group heading="Deployments" className={group}>
          {found.data ? null : <NotYet failure={found.error ?? found.failureReason} />}
          {found.data?.resources.map((one) => (
            <Item
              key={one.id}
              value={`deployment ${one.name} ${one.id}`}
              icon={<Boxes />}
              onSelect={go(routes.deployment(current.slug, one.id))}
            >
              <VisibleName>{one.name}</VisibleName>
            </Item>
          ))}
          {isAtLeast(current.role, 'developer')
            ? found.data?.resources.map((one) => (
                <Item
                  key={one.id}
                  value={`start a run ${one.name} ${one.id}`}
                  icon={<Play />}
                  onSelect={go(routes.newRun(current.slug, one.id))}
                >
                  Start a run on <VisibleName>{one.name}</VisibleName>
                </Item>
              ))
            : null}
        </Command.Group>
        <Command.Group heading="Pages" className={group}>
          {placesOf(current.slug)
            .filter((place) => isAtLeast(current.role, place.role))
            .map(({ label, href, icon: Icon }) => (
              <Item key={label} value={`page ${label}`} icon={<Icon />} onSelect={go(href)}>
                {label}
              </Item>
            ))}
        </Command.Group>
        <Command.Group heading="Workspaces" className={group}>
          {workspaces.map((one) => (
            <Item
              key={one.slug}
              value={`workspace ${one.name} ${one.slug}`}
              icon={<LayoutGrid />}
              onSelect={go(routes.deployments(one.slug))}
            >
              {one.name}
            </Item>
          ))}
        </Command.Group>
        <Command.Group heading="Appearance" className={group}>
          <Item value="light theme" icon={<Sun />} onSelect={act(() => applyTheme('light'))}>
            Light theme
          </Item>
          <Item value="dark theme" icon={<Moon />} onSelect={act(() => applyTheme('dark'))}>
            Dark theme
          </Item>
        </Command.Group>
      </Command.List>
    </Command.Dialog>
  )
}

const Item = ({
  value,
  icon,
  onSelect,
  children,
}: {
  value: string
  icon: ReactNode
  onSelect: () => void
  children: ReactNode
}) => (
  <Command.Item
    value={value}
    onSelect={onSelect}
    className="flex h-8 items-center gap-2 truncate rounded-sm px-2 data-[selected=true]:bg-hover [&_svg]:size-3.5 [&_svg]:shrink-0 [&_svg]:text-ink-3"
  >
    {icon}
    <span className="truncate">{children}</span>
  </Command.Item>
)

const NotYet = ({ failure }: { failure: Error | null }) => (
  <Command.Item disabled forceMount value="deployments" className="flex h-8 items-center px-2 text-ink-3">
    <span className="truncate">{failure ? failure.message : 'Loading…'}</span>
  </Command.Item>
)
