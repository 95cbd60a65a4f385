'use client'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import {
  Bot,
  Boxes,
  FileText,
  History,
  LayoutGrid,
  LogOut,
  MessagesSquare,
  Moon,
  Play,
  Star,
  Sun,
  Zap,
} from 'lucide-react'
import type { Route } from 'next'
import { useParams, usePathname, useRouter } from 'next/navigation'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useFavourites } from '@/components/shared/layout/favourites'
import { type Recent, readRecent } from '@/components/shared/layout/recent'
import { useReasons } from '@/components/shared/layout/rights'
import { VisibleName } from '@/components/shared/text/visible-text'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { shownText } from '@/lib/format/hidden-characters'
import { assistantsQuery } from '@/lib/queries/assistants'
import { deploymentQuery, deploymentsQuery } from '@/lib/queries/deployments'
import { deploymentParts, routes } from '@/lib/routes'
import { applyTheme } from './early/theme'
import { navItemsFor } from './navigation/nav'
import { PaletteItem as Item } from './palette-item'
import { forgetTyped, typedBefore } from './palette-loading'
import { useFoundThreads } from './palette-threads'
import type { ShellWorkspace } from './sidebar'
import { endSession } from './sign-out'
import { matches, readSearch, VERBS, type Verb } from './verbs'

type PaletteProps = { current: ShellWorkspace; workspaces: ShellWorkspace[]; onClose: () => void }

const group =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-ink-3'

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
  const found = useQuery({
    ...deploymentsQuery(current.slug, { limit: MOST_LISTED, ...(name && { name_contains: name }) }),
    placeholderData: keepPreviousData,
  })
  const favourites = useFavourites()
  const marked = useMarked(current.slug, favourites.ids, name)
  // Rows of the search before stay while the next is read, and may have other names: Enter must not act on those.
  const isNamed = (one: { name: string }) =>
    !found.isPlaceholderData || one.name.toLowerCase().includes(name.toLowerCase())
  const others = found.data?.resources.filter((one) => isNamed(one) && !marked.some(({ id }) => id === one.id)) ?? []
  // Favourites first; `sort` keeps the order of the others.
  const listed = [...marked, ...others].sort(
    (left, right) => Number(favourites.has(right.id)) - Number(favourites.has(left.id)),
  )
  // What is listed anyway, and this page, need no second row.
  const path = usePathname()
  const [opened] = useState(readRecent)
  const recent = (search === '' ? opened : [])
    .filter(({ href }) => href.startsWith(`${routes.workspace(current.slug)}/`) && href !== path)
    .filter(({ href }) => !listed.some(({ id }) => routes.deployment(current.slug, id) === href))
    .slice(0, MOST_RECENT)
  const { assistants, late } = useAssistants(current.slug, name)
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
          <Command.Group heading="Recent" className={group}>
            {recent.map((one) => (
              <Item key={one.href} value={recentValue(one)} icon={<History />} onSelect={go(one.href as Route)}>
                <VisibleName>{one.name}</VisibleName> <span className="text-ink-3">{one.kind}</span>
              </Item>
            ))}
          </Command.Group>
        )}
        {/* A group without a match is hidden, and with it why there is none. */}
        <Command.Group heading="Deployments" className={group} forceMount={!found.data}>
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
        </Command.Group>
        {assistants.length + late.length > 0 ? (
          <Command.Group heading="Assistants" className={group}>
            {assistants.map(({ deploymentId, deploymentName, id, name }) => (
              <Item
                key={`${deploymentId} ${id}`}
                value={`assistant ${name} ${deploymentName} ${id}`}
                icon={<Bot />}
                onSelect={go(routes.assistant(current.slug, deploymentId, id))}
              >
                {name} <span className="text-ink-3">on {deploymentName}</span>
              </Item>
            ))}
            {isAtLeast(current.role, 'developer')
              ? assistants.map(({ deploymentId, deploymentName, id, name }) => (
                  <Item
                    key={`${deploymentId} ${id}`}
                    value={`start a run of ${name} ${deploymentName} ${id}`}
                    icon={<Play />}
                    onSelect={go(routes.newRun(current.slug, deploymentId, { assistant: id }))}
                  >
                    Start a run of {name} <span className="text-ink-3">on {deploymentName}</span>
                  </Item>
                ))
              : null}
            {late.length > 0 ? (
              <Command.Item
                disabled
                forceMount
                value="assistants not searched"
                className="flex h-8 items-center px-2 text-ink-3"
              >
                <span className="truncate">No answer from {late.join(', ')}</span>
              </Command.Item>
            ) : null}
          </Command.Group>
        ) : null}
        {threads.length === 0 ? null : (
          <Command.Group heading="Threads" className={group}>
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
          </Command.Group>
        )}
        {deploymentId ? (
          <Command.Group heading="This deployment" className={group}>
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
          </Command.Group>
        ) : null}
        <Command.Group heading="Pages" className={group}>
          {navItemsFor(current).map(({ label, href, icon: Icon }) => (
            <Item key={label} value={`page ${label}`} icon={<Icon />} onSelect={go(href)}>
              {label}
            </Item>
          ))}
        </Command.Group>
        <Command.Group heading="Actions" className={group}>
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
        {/* Last, so that Enter on the name of a page opens it. */}
        {sought === '' ? null : (
          <Command.Group heading="Messages" className={group}>
            <Item
              value={`${text} in the messages of all threads`}
              icon={<MessagesSquare />}
              onSelect={go(routes.allThreads(current.slug, { q: sought }))}
            >
              Search threads for “{shownText(sought, 40)}”
            </Item>
          </Command.Group>
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

const MOST_LISTED = 8
const MOST_RECENT = 6

/** The favourites to list before anything is typed. */
function useMarked(workspace: string, ids: readonly string[], search: string) {
  const first = ids.slice(0, MOST_LISTED).join(',')
  const isListed = first !== '' && search === ''
  const { data } = useQuery({
    ...deploymentsQuery(workspace, { deployment_ids: first, limit: MOST_LISTED }),
    enabled: isListed,
  })
  return isListed ? (data?.resources ?? []) : []
}

const MIN_LENGTH = 2
const MAX_SERVERS = 4
const MAX_PER_SERVER = 4

/** Assistants by name, on the open deployment and a few others, and the names of those that do not answer. */
function useAssistants(workspace: string, search: string) {
  const { deploymentId } = useParams<{ deploymentId?: string }>()
  const isSearching = search.length >= MIN_LENGTH
  const { data } = useQuery({ ...deploymentsQuery(workspace, { limit: 8 }), enabled: isSearching })
  // One that never ran has no server to ask.
  const all = isSearching ? (data?.resources.filter(hasServer) ?? []) : []
  const servers = [...all.filter(({ id }) => id === deploymentId), ...all.filter(({ id }) => id !== deploymentId)]
  const searched = servers.slice(0, MAX_SERVERS)
  const found = useQueries({
    queries: searched.map(({ id }) => ({
      ...assistantsQuery(workspace, id, { name: search, limit: MAX_PER_SERVER }),
      retry: false,
    })),
  })
  const isLate = useIsLate(search)
  return {
    assistants: searched.flatMap(({ id: deploymentId, name: deploymentName }, index) =>
      (found[index]?.data ?? [])
        .slice(0, MAX_PER_SERVER)
        .map((one) => ({ deploymentId, deploymentName, id: one.assistant_id, name: one.name || one.graph_id })),
    ),
    late: searched.flatMap(({ name }, index) => {
      const { data, error } = found[index] ?? {}
      return data === undefined && (error ? error.code !== 'unsupported' : isLate) ? [shownText(name, 40)] : []
    }),
  }
}

const LATE_MS = 2_000

/** Whether this search began some time ago. */
function useIsLate(search: string): boolean {
  const [late, setLate] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setLate(search), LATE_MS)
    return () => clearTimeout(timer)
  }, [search])
  return late === search
}

const Placeholder = ({ failure }: { failure: Error | null }) => (
  <Command.Item disabled forceMount value="deployments" className="flex h-8 items-center px-2 text-ink-3">
    <span className="truncate">{failure ? failure.message : 'Loading…'}</span>
  </Command.Item>
)
