'use client'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Bot, Boxes, FileText, LayoutGrid, Moon, Play, Sun } from 'lucide-react'
import type { Route } from 'next'
import { useParams, useRouter } from 'next/navigation'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { VisibleName } from '@/components/shared/text/visible-name'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { assistantsQuery } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { deploymentParts, routes } from '@/lib/routes'
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
  const assistants = useAssistants(current.slug, name)
  const { deploymentId } = useParams<{ deploymentId?: string }>()
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
        {assistants.length > 0 ? (
          <Command.Group heading="Assistants" className={group}>
            {assistants.map(({ deployment, on, id, called }) => (
              <Item
                key={`${deployment} ${id}`}
                value={`assistant ${called} ${on} ${id}`}
                icon={<Bot />}
                onSelect={go(routes.assistant(current.slug, deployment, id))}
              >
                {called} <span className="text-ink-3">on {on}</span>
              </Item>
            ))}
            {isAtLeast(current.role, 'developer')
              ? assistants.map(({ deployment, on, id, called }) => (
                  <Item
                    key={`${deployment} ${id}`}
                    value={`start a run of ${called} ${on} ${id}`}
                    icon={<Play />}
                    onSelect={go(routes.newRun(current.slug, deployment, { assistant: id }))}
                  >
                    Start a run of {called} <span className="text-ink-3">on {on}</span>
                  </Item>
                ))
              : null}
          </Command.Group>
        ) : null}
        {deploymentId ? (
          <Command.Group heading="This deployment" className={group}>
            {deploymentParts(current.slug, deploymentId).map(({ label, href }) => (
              <Item key={label} value={`part ${label} of this deployment`} icon={<FileText />} onSelect={go(href)}>
                {label}
              </Item>
            ))}
          </Command.Group>
        ) : null}
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

const LEAST_TYPED = 2
const MOST_SERVERS = 4
const MOST_OF_EACH = 4

/** Assistants by name, on the servers of the deployment that is open and of the first others; a server that fails has none. */
function useAssistants(workspace: string, name: string) {
  const { deploymentId } = useParams<{ deploymentId?: string }>()
  const isAsked = name.length >= LEAST_TYPED
  const { data } = useQuery({ ...deploymentsQuery(workspace, { limit: 8 }), enabled: isAsked })
  const all = data?.resources ?? []
  const servers = [...all.filter(({ id }) => id === deploymentId), ...all.filter(({ id }) => id !== deploymentId)]
  const asked = isAsked ? servers.slice(0, MOST_SERVERS) : []
  const found = useQueries({
    queries: asked.map(({ id }) => ({
      ...assistantsQuery(workspace, id, { name, limit: MOST_OF_EACH }),
      retry: false,
    })),
  })
  return asked.flatMap(({ id: deployment, name: on }, index) =>
    (found[index]?.data ?? [])
      .slice(0, MOST_OF_EACH)
      .map((one) => ({ deployment, on, id: one.assistant_id, called: one.name || one.graph_id })),
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
