'use client'
import { notifyManager, useQueryClient } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import type { Route } from 'next'
import { usePathname } from 'next/navigation'
import { Fragment, useCallback, useSyncExternalStore } from 'react'
import { NearLink } from '@/components/shared/layout/near-link'
import { VisibleText } from '@/components/shared/text/visible-text'
import { shortId } from '@/lib/format/format'
import { deploymentQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { placesOf } from './nav'

type Crumb = { label: string; href: Route; isCode?: boolean }

/** The parts of a deployment by their segment, and those of their pages that are no record's. */
const PARTS: Record<string, { label: string; pages?: Record<string, string> }> = {
  revisions: { label: 'Revisions', pages: { compare: 'Compare' } },
  assistants: { label: 'Assistants', pages: { new: 'New assistant' } },
  threads: { label: 'Threads' },
  runs: { label: 'Runs', pages: { new: 'Start a run', join: 'Open a run' } },
  crons: { label: 'Crons', pages: { new: 'New cron' } },
  store: { label: 'Store' },
  mcp: { label: 'MCP' },
  a2a: { label: 'A2A' },
  traces: { label: 'Traces', pages: { compare: 'Compare', 'of-run': 'Trace of a run' } },
  system: { label: 'System' },
  settings: {
    label: 'Settings',
    pages: { secrets: 'Secrets', resources: 'Resource spec', danger: 'Danger zone' },
  },
}

/** Where the page stands, from the workspace's places down; the last is the page itself. */
export function Breadcrumb({ workspace }: { workspace: string }) {
  const [, , place, id, part, item] = usePathname().split('/').map(decode)
  const isNew = place === 'deployments' && id === 'new'
  const deployment = place === 'deployments' && !isNew ? id : undefined
  const name = useLoadedName(workspace, deployment)
  const crumbs: Crumb[] = []
  const home = placesOf(workspace).find(({ href }) => href === `/${encodeURIComponent(workspace)}/${place}`)
  if (home) crumbs.push(home)
  if (place === 'settings' && id === 'prices') crumbs.push({ label: 'Model prices', href: routes.prices(workspace) })
  if (isNew) crumbs.push({ label: 'New deployment', href: routes.newDeployment(workspace) })
  if (deployment) {
    crumbs.push({
      label: name ?? shortId(deployment),
      href: routes.deployment(workspace, deployment),
      isCode: !name,
    })
    const known = PARTS[part ?? '']
    const at = `${routes.deployment(workspace, deployment)}/${part}`
    if (known) crumbs.push({ label: known.label, href: at as Route })
    if (known && item)
      crumbs.push({
        label: known.pages?.[item] ?? shortId(item),
        href: `${at}/${encodeURIComponent(item)}` as Route,
        isCode: !known.pages?.[item],
      })
  }
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5 text-ink-3">
        {crumbs.map(({ label, href, isCode }, index) => {
          const isLast = index === crumbs.length - 1
          return (
            <Fragment key={href}>
              {index > 0 ? <ChevronRight aria-hidden className="hidden size-3 shrink-0 sm:block" /> : null}
              {/* On a narrow screen only where one is; the rest is a step back in the navigation. */}
              <li className={isLast ? 'min-w-0' : 'hidden min-w-0 max-w-48 sm:block'}>
                <NearLink
                  href={href}
                  aria-current={isLast ? 'page' : undefined}
                  className={`block truncate rounded-sm hover:text-ink aria-[current=page]:text-ink ${isCode ? 'font-mono text-xs' : ''}`}
                >
                  <VisibleText>{label}</VisibleText>
                </NearLink>
              </li>
            </Fragment>
          )
        })}
      </ol>
    </nav>
  )
}

/** A segment as it was before it was encoded; one that nobody encoded is shown as it stands. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * The deployment's name once the page has loaded it; a name in the header is not worth a request. Looks into the cache
 * instead of making an observer: a query that is there before the page's own data arrives would keep that waiting.
 */
function useLoadedName(workspace: string, deployment: string | undefined): string | undefined {
  const client = useQueryClient()
  // Batched: the cache also changes while another component renders, when nothing else may be updated.
  const subscribe = useCallback(
    (listener: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(listener)),
    [client],
  )
  const read = () =>
    deployment ? client.getQueryData(deploymentQuery(workspace, deployment).queryKey)?.name : undefined
  // While the page is taken over from the server's HTML, the cache is still empty there as it was here.
  return useSyncExternalStore(subscribe, read, () => undefined)
}
