'use client'
import { notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { Fragment, useCallback, useSyncExternalStore } from 'react'
import { VisibleName } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format/format'
import { entryOf } from '@/lib/json/guards'
import { deploymentKey, projectKey } from '@/lib/queries/name-keys'
import { routes } from '@/lib/routes'
import { navItems } from './nav'

/** `record`: what the label is the id of, for narrow screens, which show only the last one and those that `isAlways`. */
type Crumb = { label: string; href: Route; isCode?: boolean; record?: string | undefined; isAlways?: boolean }

/** Pages of the workspace's sections, by URL segments. */
const PAGES: Record<string, Record<string, string>> = {
  settings: {
    listeners: 'Listeners',
    prices: 'Model prices',
    tokens: 'API tokens',
    sharing: 'Sharing',
    retention: 'Retention',
  },
  runs: { compare: 'Compare', open: 'Open recording' },
  traces: { check: 'Format checker' },
}

/** Sections of a deployment by URL segment, and their pages that do not show one record. */
const PARTS: Record<string, { label: string; record?: string; pages?: Record<string, string> }> = {
  revisions: { label: 'Revisions', record: 'Revision', pages: { compare: 'Compare' } },
  assistants: { label: 'Assistants', record: 'Assistant', pages: { new: 'New assistant' } },
  chat: { label: 'Chat' },
  logs: { label: 'Logs' },
  threads: { label: 'Threads', record: 'Thread' },
  runs: { label: 'Runs', record: 'Run', pages: { new: 'Start a run', join: 'Open a run' } },
  crons: { label: 'Crons', record: 'Cron', pages: { new: 'New cron' } },
  store: { label: 'Store' },
  mcp: { label: 'MCP' },
  a2a: { label: 'A2A' },
  traces: { label: 'Traces', record: 'Trace', pages: { compare: 'Compare', 'of-run': 'Run trace' } },
  system: { label: 'System' },
  settings: {
    label: 'Settings',
    pages: { secrets: 'Secrets', resources: 'Resource spec', danger: 'Danger zone' },
  },
}

/** The path from the workspace's section to the current page. */
export function Breadcrumb({ workspace }: { workspace: string }) {
  const [, , place, id, part, item] = usePathname().split('/').map(decode)
  const isNew = place === 'deployments' && id === 'new'
  const deploymentId = place === 'deployments' && !isNew ? id : undefined
  const name = useLoadedName(workspace, deploymentId)
  const project = useProjectName(workspace, place === 'traces' && id === 'projects' ? part : undefined)
  const crumbs: Crumb[] = []
  const path = place ? `${routes.workspace(workspace)}/${place}` : routes.workspace(workspace)
  const section = navItems(workspace).find(({ href }) => href === path)
  if (section) crumbs.push(section)
  const page = entryOf(entryOf(PAGES, place ?? '') ?? {}, id ?? '')
  if (page) crumbs.push({ label: page, href: `${path}/${id}` as Route })
  if (place === 'account') crumbs.push({ label: 'Your account', href: routes.account(workspace) })
  if (place === 'members' && id) crumbs.push({ label: 'Sessions', href: routes.memberSessions(workspace, id) })
  if (place === 'experiments') {
    crumbs.push({ label: 'Runs', href: routes.allRuns(workspace) })
    crumbs.push({ label: 'Experiments', href: routes.experiments(workspace) })
    if (id === 'new') crumbs.push({ label: 'New experiment', href: routes.newExperiment(workspace) })
    else if (id) crumbs.push({ label: 'Results', href: routes.experiment(workspace, id) })
  }
  if (place === 'traces' && id === 'projects') {
    crumbs.push({ label: 'Projects', href: routes.tracingProjects(workspace) })
    if (part)
      crumbs.push({ label: project ?? shortId(part), href: routes.projectTraces(workspace, part), isCode: !project })
    if (part && item)
      crumbs.push({
        label: item === 'compare' ? 'Compare' : shortId(item),
        href: routes.projectTrace(workspace, part, item),
        isCode: item !== 'compare',
        record: item === 'compare' ? undefined : 'Trace',
      })
  }
  if (isNew) crumbs.push({ label: 'New deployment', href: routes.newDeployment(workspace) })
  if (deploymentId) {
    crumbs.push({
      label: name ?? shortId(deploymentId),
      href: routes.deployment(workspace, deploymentId),
      isCode: !name,
      // The page's own header is folded there.
      isAlways: part === 'chat' || (part === 'threads' && item !== undefined),
    })
    const known = entryOf(PARTS, part ?? '')
    const title = item === undefined ? undefined : entryOf(known?.pages ?? {}, item)
    const at = `${routes.deployment(workspace, deploymentId)}/${part}`
    if (known) crumbs.push({ label: known.label, href: at as Route })
    // A chat has a header of its own, with its title.
    if (known && item && part !== 'chat')
      crumbs.push({
        label: title ?? shortId(item),
        href: `${at}/${encodeURIComponent(item)}` as Route,
        isCode: !title,
        record: title ? undefined : known.record,
      })
  }
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5 text-ink-3">
        {crumbs.map(({ label, href, isCode, record, isAlways }, index) => {
          const isLast = index === crumbs.length - 1
          return (
            <Fragment key={href}>
              {index > 0 ? (
                <ChevronRight
                  aria-hidden
                  className={cn('size-3 shrink-0', !crumbs[index - 1]?.isAlways && 'hidden sm:block')}
                />
              ) : null}
              <li className={cn('min-w-0', !isLast && 'max-w-48', !isLast && !isAlways && 'hidden sm:block')}>
                <Link
                  prefetch={false}
                  href={href}
                  aria-current={isLast ? 'page' : undefined}
                  className={`block truncate rounded-sm hover:text-ink aria-[current=page]:text-ink ${isCode ? 'font-mono text-xs' : ''}`}
                >
                  {record ? <span className="font-sans text-sm sm:hidden">{record} </span> : null}
                  <VisibleName>{label}</VisibleName>
                </Link>
              </li>
            </Fragment>
          )
        })}
      </ol>
    </nav>
  )
}

/** Decodes a URL segment; a malformed one is returned unchanged. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const useLoadedName = (workspace: string, deploymentId: string | undefined): string | undefined =>
  useLoaded((client) =>
    deploymentId ? client.getQueryData<{ name: string }>(deploymentKey(workspace, deploymentId))?.name : undefined,
  )

const useProjectName = (workspace: string, project: string | undefined): string | undefined =>
  useLoaded((client) =>
    project
      ? (client.getQueryData<{ name: string | null }>(projectKey(workspace, project))?.name ?? undefined)
      : undefined,
  )

/**
 * A name once the page has loaded it. Reads the cache without an observer, because an observer created before the page's own
 * data arrives would delay that data.
 */
function useLoaded(read: (client: QueryClient) => string | undefined): string | undefined {
  const client = useQueryClient()
  // Batched, because the cache can change while another component renders.
  const subscribe = useCallback(
    (listener: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(listener)),
    [client],
  )
  // During hydration the cache is as empty as it was on the server.
  return useSyncExternalStore(
    subscribe,
    () => read(client),
    () => undefined,
  )
}
