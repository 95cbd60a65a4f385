'use client'
import type { Route } from 'next'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useReasons } from '@/components/shared/layout/rights'
import { KeyValues } from '@/components/shared/text/key-values'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { deleteWorkspace, testControlPlane } from '@/lib/actions/workspaces'
import { routes } from '@/lib/routes'
import { CheckTraces } from './check-traces'
import { DirectServers } from './direct-servers'
import { describeControlPlane } from './server-found'
import { TestConnection } from './test-connection'
import { NOT_ALLOWED, type ServerShown, type WorkspaceShown } from './types'
import { WorkspaceDialog } from './workspace-dialog'

type SettingsPageProps = { current: WorkspaceShown; servers: ServerShown[]; mayChange: boolean }

const KINDS = {
  embedded: 'Embedded platform',
  'control-plane': 'Control plane',
  direct: 'Agent servers without a control plane',
}

type PlaceProps = {
  title: string
  verb: string
  href: Route
  /** Why the user may not open it. */
  reason?: string | undefined
  children: ReactNode
}

/** A page of settings and what it is for. */
const Place = ({ title, verb, href, reason, children }: PlaceProps) => (
  <section className="rounded-lg border bg-panel p-4">
    <h2 className="mb-1 font-semibold text-base">{title}</h2>
    <p className="mb-3 text-ink-2">{children}</p>
    {reason ? (
      <Button size="sm" reason={reason}>
        {verb}
      </Button>
    ) : (
      <Button asChild size="sm">
        <Link href={href}>{verb}</Link>
      </Button>
    )}
  </section>
)

export function SettingsPage({ current, servers, mayChange }: SettingsPageProps) {
  const router = useRouter()
  const { administer } = useReasons()
  const [open, setOpen] = useState<'none' | 'add' | 'change' | 'delete'>('none')
  const close = () => setOpen('none')
  const isFixed = current.source === 'environment'
  const fixedReason = isFixed ? 'This workspace is defined by environment variables. Change it there.' : undefined
  const reason = mayChange ? fixedReason : NOT_ALLOWED
  return (
    <>
      <PageHeader
        title="Settings"
        actions={
          <Button reason={mayChange ? undefined : NOT_ALLOWED} onClick={() => setOpen('add')}>
            Add workspace
          </Button>
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <section className="rounded-lg border bg-panel p-4 lg:row-span-2">
          <div className="mb-3 flex items-center gap-2">
            <h2 className="min-w-0 flex-1 truncate font-semibold text-base">{current.name}</h2>
            {isFixed ? <Badge>environment</Badge> : null}
          </div>
          <KeyValues
            items={[
              ['Kind', KINDS[current.kind]],
              ['URL', current.baseUrl],
              ['Slug', <code key="slug">{current.slug}</code>],
              ['API key', current.kind === 'direct' ? null : current.hasKey ? 'set (never shown)' : 'none'],
              ['Agent server key', current.hasAgentKey ? 'set (never shown)' : null],
              ['Tenant ID', current.tenantId],
              ['Tracing URL', current.tracesUrl],
              ['Tracing API key', current.tracesUrl ? (current.hasTracesKey ? 'set (never shown)' : 'none') : null],
              ['Dialect', current.dialect],
              ['Allowed origins', current.allowedOrigins.join(', ')],
              ['Secret names', current.secretNames === 'admins' ? 'Administrators only' : 'All members'],
            ]}
          />
          {current.keyProblem ? (
            <p className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-warn">{current.keyProblem}</p>
          ) : null}
          <div className="mt-4 flex flex-wrap gap-2">
            <Button size="sm" reason={reason} onClick={() => setOpen('change')}>
              Edit workspace
            </Button>
            <Button size="sm" variant="danger" reason={reason} onClick={() => setOpen('delete')}>
              Delete workspace
            </Button>
            {current.baseUrl ? (
              <TestConnection
                size="sm"
                reason={mayChange ? undefined : NOT_ALLOWED}
                test={() =>
                  testControlPlane({ slug: current.slug, baseUrl: current.baseUrl ?? '', dialect: current.dialect })
                }
                say={describeControlPlane}
              />
            ) : null}
            {current.tracesUrl ? <CheckTraces workspace={current.slug} /> : null}
          </div>
        </section>
        {current.kind === 'direct' ? null : (
          <Place title="Listeners" verb="Open listeners" href={routes.listeners(current.slug)}>
            The clusters that deployments run in, and whether they are connected.
          </Place>
        )}
        <Place title="Model prices" verb="Open model prices" href={routes.prices(current.slug)}>
          Set what models cost to see the cost of runs in traces.
        </Place>
        <Place title="API tokens" verb="Open API tokens" href={routes.tokens(current.slug)}>
          Let scripts and service accounts use the HTTP API of this workspace.
        </Place>
        <Place title="Retention" verb="Open retention" href={routes.retention(current.slug)} reason={administer}>
          How long recordings, the audit trail, traces and runs are kept, and how much space they take.
        </Place>
        <Place title="Sharing" verb="Open sharing" href={routes.sharing(current.slug)}>
          Whether runs can have public links, and which ones exist.
        </Place>
        {current.kind === 'direct' ? (
          <DirectServers workspace={current.slug} servers={servers} reason={reason} mayTest={mayChange} />
        ) : null}
      </div>
      {open === 'add' || open === 'change' ? (
        <WorkspaceDialog key={open} workspace={open === 'change' ? current : undefined} onClose={close} />
      ) : null}
      <ConfirmDialog
        open={open === 'delete'}
        onOpenChange={close}
        title={`Delete workspace ${current.name}?`}
        verb="Delete workspace"
        typed={current.slug}
        action={() => deleteWorkspace(current.slug)}
        onDone={() => {
          toast.success(`Workspace ${current.name} deleted`)
          router.replace('/' as Route)
        }}
      >
        Its URL, keys and memberships are removed from this console. Its servers are not changed.
      </ConfirmDialog>
    </>
  )
}
