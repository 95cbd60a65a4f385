'use client'
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Boxes, FileText, History, LayoutGrid, LogOut, MessagesSquare, Moon, Play, Star, Sun, Zap } from 'lucide-react'
import type { Route } from 'next'
import { useParams, usePathname, useRouter } from 'next/navigation'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useFavourites } from '@/components/shared/layout/favourites'
import { type Recent, readRecent } from '@/components/shared/layout/recent'
import { useReasons } from '@/components/shared/layout/rights'
import { VisibleName } from '@/components/shared/text/visible-text'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { shownText } from '@/lib/format/hidden-characters'
import { deploymentQuery } from '@/lib/queries/deployments'
import { deploymentParts, routes } from '@/lib/routes'
import { applyTheme } from './early/theme'
import { navItemsFor } from './navigation/nav'
import { AssistantGroup } from './palette-assistants'
import { useListed } from './palette-deployments'
import { PaletteGroup as Group, PaletteItem as Item } from './palette-item'
import { forgetTyped, typedBefore } from './palette-loading'
import { useFoundThreads } from './palette-threads'
import type { ShellWorkspace } from './sidebar'
import { endSession } from './sign-out'
import { matches, readSearch, VERBS, type Verb } from './verbs'

type PaletteProps = { current: ShellWorkspace; workspaces: ShellWorkspace[]; onClose: () => void }

/** Before the dialog would, which selects the text, so that the next letter replaced it. */
const focus = (field: HTMLInputElement | null) => field?.focus()

/** Finds any page by name. Deployments are searched on the server. */
export function Palette({ current, workspaces, onClose }: PaletteProps) {
  const { hasControlPlane } = useReasons()
  const router = useRouter()
  const [text, setText] = useState(typedBefore)
  useEffect(forgetTyped, [])
  const search = useDeferredValue(text.trim())
  const { verbs, name } = useMemo(() => readSearch(search), [search])
  const favourites = useFavourites()
  const { found, listed } = useListed(current.slug, name, favourites)
  // What is listed anyway, and this page, need no second row.
  const path = usePathname()
  const [opened] = useState(readRecent)
  const recent = (search === '' ? opened : [])
    .filter(({ href }) => href.startsWith(`${routes.workspace(current.slug)}/`) && href !== path)
    .filter(({ href }) => !listed.some(({ id }) => routes.deployment(current.slug, id) === href))
    .slice(0, MOST_RECENT)
  const sought = verbs.length > 0 ? '' : search
  const threads = useFoundThreads(current.slug, sought)
  const [selected, setSelected] = useState('')
  // Until the user moves, the first row stays selected, although deployments load after the rows below them.
  const hasMoved = useRef(false)
  const move = () => {
    hasMoved.current = true
  }
  const first = listed[0]
  const offered = (verbs.length > 0 ? verbs : VERBS.slice(0, 1)).filter(({ role }) => isAtLeast(current.role, role))
  // A verb has several words for it, so while one is typed its rows match as the search itself.
  const verbValue = ({ id, label }: Verb, one: { id: string; name: string }) =>
    verbs.length > 0 ? `${text} ${id} ${one.id}` : `${label(one.name)} ${one.id}`
  const firstVerb = verbs.length > 0 ? offered[0] : undefined
  const firstListed = first && (firstVerb ? verbValue(firstVerb, first) : deploymentValue(first))
  const firstValue = recent[0] ? recentValue(recent[0]) : firstListed
  useEffect(() => {
    if (firstValue && !hasMoved.current) setSelected(firstValue)
  }, [firstValue])
  const { deploymentId } = useParams<{ deploymentId?: string }>()
  const open = useQuery({ ...deploymentQuery(current.slug, deploymentId ?? ''), enabled: deploymentId !== undefined })
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
      filter={(value, sought) => (matches(value, sought) ? 1 : 0)}
      value={selected}
      onValueChange={setSelected}
      onKeyDown={move}
      onPointerMove={move}
      overlayClassName="fixed inset-0 z-40 bg-black/40"
      contentClassName="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-lg border bg-panel shadow-pop"
    >
      <Command.Input
        ref={focus}
        value={text}
        onValueChange={setText}
        placeholder="Search, or type what to do: start run on…, logs of…"
        className="h-11 w-full border-b bg-transparent px-4 text-base outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1">
        <Command.Empty className="px-3 py-6 text-center text-ink-2">No results</Command.Empty>
        {recent.length === 0 ? null : (
          <Group heading="Recent">
            {recent.map((one) => (
              <Item key={one.href} value={recentValue(one)} icon={<History />} onSelect={go(one.href as Route)}>
                <VisibleName>{one.name}</VisibleName> <span className="text-ink-3">{one.kind}</span>
              </Item>
            ))}
          </Group>
        )}
        {/* A group without a match is hidden, and with it why there is none. */}
        <Group heading="Deployments" forceMount={!found.data}>
          {found.data ? null : <Placeholder failure={found.error ?? found.failureReason} />}
          {listed.map((one) => (
            <Item
              key={one.id}
              value={deploymentValue(one)}
              icon={favourites.has(one.id) ? <Star className="fill-current" aria-label="Favourite" /> : <Boxes />}
              onSelect={go(routes.deployment(current.slug, one.id))}
            >
              <VisibleName>{one.name}</VisibleName>
            </Item>
          ))}
          {listed.flatMap((one) =>
            offered.map((verb) => (
              <Item
                key={`${verb.id} ${one.id}`}
                value={verbValue(verb, one)}
                icon={<Play />}
                onSelect={go(verb.href(current.slug, one.id))}
              >
                <VisibleName>{verb.label(one.name)}</VisibleName>
              </Item>
            )),
          )}
        </Group>
        <AssistantGroup current={current} search={name} go={go} />
        {threads.length === 0 ? null : (
          <Group heading="Threads">
            {threads.map(({ deployment, deploymentName, id, title }) => (
              <Item
                key={`${deployment} ${id}`}
                value={`thread ${title} ${deploymentName} ${id}`}
                icon={<MessagesSquare />}
                onSelect={go(routes.thread(current.slug, deployment, id))}
              >
                <VisibleName>{title}</VisibleName> <span className="text-ink-3">on {deploymentName}</span>
              </Item>
            ))}
          </Group>
        )}
        {deploymentId ? (
          <Group heading="This deployment">
            {deploymentParts(current.slug, deploymentId).map(({ label, href }) => (
              <Item key={label} value={`section ${label} of this deployment`} icon={<FileText />} onSelect={go(href)}>
                {label}
              </Item>
            ))}
            {open.data ? (
              <Item
                value="add to favourites remove from favourites star"
                icon={<Star />}
                onSelect={act(() => open.data && favourites.toggle(open.data))}
              >
                {favourites.has(open.data.id) ? 'Remove from favourites' : 'Add to favourites'}
              </Item>
            ) : null}
          </Group>
        ) : null}
        <Group heading="Pages">
          {navItemsFor(current).map(({ label, href, icon: Icon }) => (
            <Item key={label} value={`page ${label}`} icon={<Icon />} onSelect={go(href)}>
              {label}
            </Item>
          ))}
        </Group>
        <Group heading="Actions">
          {ACTIONS(current.slug)
            .filter(
              ({ role, href }) =>
                isAtLeast(current.role, role) && (hasControlPlane || href !== routes.newDeployment(current.slug)),
            )
            .map(({ label, href }) => (
              <Item key={label} value={label} icon={<Zap />} onSelect={go(href)}>
                {label}
              </Item>
            ))}
          <Item value="Sign out" icon={<LogOut />} onSelect={act(() => void endSession())}>
            Sign out
          </Item>
        </Group>
        <Group heading="Workspaces">
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
        </Group>
        <Group heading="Appearance">
          <Item value="light theme" icon={<Sun />} onSelect={act(() => applyTheme('light'))}>
            Light theme
          </Item>
          <Item value="dark theme" icon={<Moon />} onSelect={act(() => applyTheme('dark'))}>
            Dark theme
          </Item>
        </Group>
        {/* Last, so that Enter on the name of a page opens it. */}
        {sought === '' ? null : (
          <Group heading="Messages">
            <Item
              value={`${text} in the messages of all threads`}
              icon={<MessagesSquare />}
              onSelect={go(routes.allThreads(current.slug, { q: sought }))}
            >
              Search threads for “{shownText(sought, 40)}”
            </Item>
          </Group>
        )}
      </Command.List>
    </Command.Dialog>
  )
}

const ACTIONS = (workspace: string): { label: string; role: Role; href: Route }[] => [
  { label: 'New deployment', role: 'admin', href: routes.newDeployment(workspace) },
  { label: 'New experiment', role: 'developer', href: routes.newExperiment(workspace) },
  { label: 'Experiments', role: 'viewer', href: routes.experiments(workspace) },
  {
    label: 'Cancel run: choose a running one',
    role: 'developer',
    href: routes.allRuns(workspace, { status: 'active' }),
  },
  {
    label: 'Failed runs, last 24 hours',
    role: 'viewer',
    href: routes.allRuns(workspace, { status: 'failed', since: '24h' }),
  },
]

const deploymentValue = ({ name, id }: { name: string; id: string }) => `deployment ${name} ${id}`

const recentValue = ({ href, name }: Recent) => `recent ${name} ${href}`

const MOST_RECENT = 6

const Placeholder = ({ failure }: { failure: Error | null }) => (
  <Command.Item disabled forceMount value="deployments" className="flex h-8 items-center px-2 text-ink-3">
    <span className="truncate">{failure ? failure.message : 'Loading…'}</span>
  </Command.Item>
)
