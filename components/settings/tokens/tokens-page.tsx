'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { PageHeader } from '@/components/shared/layout/page-header'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { usePages } from '@/components/shared/list/use-pages'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge, StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { revokeToken } from '@/lib/actions/api-tokens'
import { withBasePath } from '@/lib/base-path'
import { type ApiToken, MOST_TOKENS, tokenState } from '@/lib/contracts/api-token'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { count } from '@/lib/format/format'
import { type MadeToken, NewToken } from './new-token'
import { TokenDialog } from './token-dialog'

type Props = {
  workspace: string
  /** The user's highest in the workspace. */
  role: Role
  /** Whether it is for some deployments only. */
  isLimitedMember: boolean
  tokens: ApiToken[]
  origin: string
  serverNow: number
}

/** The tokens of the HTTP API: all for administrators, their own for others. */
export function TokensPage({ workspace, role, isLimitedMember, tokens, origin, serverNow }: Props) {
  const router = useRouter()
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<MadeToken>()
  const [asked, setAsked] = useState<ApiToken>()
  const isAdmin = isAtLeast(role, 'admin') && !isLimitedMember
  const pages = usePages(
    tokens,
    'Search by name or owner',
    ({ name, owner, createdBy }) => `${name} ${owner ?? ''} ${createdBy}`,
  )
  const actions: Column<ApiToken> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    isAside: true,
    className: 'w-24 text-right',
    cell: (token) =>
      tokenState(token, serverNow) === 'active' ? (
        <Button size="sm" variant="ghost" aria-label={`Revoke ${token.name}`} onClick={() => setAsked(token)}>
          Revoke
        </Button>
      ) : null,
  }
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      Create token
    </Button>
  )
  return (
    <>
      <PageHeader title="API tokens" actions={create}>
        <p className="mt-1 max-w-2xl text-ink-2">
          A token acts in this workspace with its role. A personal token never does more than its owner.{' '}
          {isAdmin ? 'A service account belongs to nobody. ' : 'You see your own tokens. '}
          <a className="text-accent underline" href={withBasePath('/api/v1/openapi.json')}>
            OpenAPI description
          </a>
        </p>
      </PageHeader>
      {pages.search}
      <DataTable
        label="API tokens"
        columns={[...columnsAt(serverNow), actions]}
        rows={pages.rows}
        rowKey={({ id }) => id}
        empty={
          pages.noMatch ?? <EmptyState title="No tokens yet">Create one to use the HTTP API from a script.</EmptyState>
        }
      />
      {pages.pager}
      {tokens.length >= MOST_TOKENS ? (
        <p className="mt-2 text-ink-3 text-xs">
          All active tokens are listed, and the newest of the others, {count(MOST_TOKENS)} in all.
        </p>
      ) : null}
      {isCreating ? (
        <TokenDialog
          workspace={workspace}
          role={role}
          isLimitedMember={isLimitedMember}
          onClose={() => setCreating(false)}
          onMade={(token) => {
            setCreating(false)
            setMade(token)
            router.refresh()
          }}
        />
      ) : null}
      {made ? <NewToken made={made} origin={origin} onClose={() => setMade(undefined)} /> : null}
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={() => setAsked(undefined)}
        title={`Revoke ${asked?.name ?? ''}?`}
        verb="Revoke token"
        action={() => revokeToken({ workspace, id: asked?.id ?? '' })}
        onDone={() => {
          toast.success(`Revoked ${asked?.name ?? ''}`)
          router.refresh()
        }}
      >
        What uses it is refused from its next request on. It cannot be restored.
      </ConfirmDialog>
    </>
  )
}

const DAY_MS = 24 * 3_600_000
const SOON_MS = 14 * DAY_MS
const UNUSED_MS = 30 * DAY_MS

/** Active, or what an administrator should look at. */
function State({ token, now }: { token: ApiToken; now: number }) {
  const state = tokenState(token, now)
  if (state !== 'active') return <StatusBadge tone="neutral">{state === 'expired' ? 'Expired' : 'Revoked'}</StatusBadge>
  const { expiresAt, lastUsedAt, createdAt } = token
  if (Date.parse(expiresAt) - now < SOON_MS) return <StatusBadge tone="warn">Expires soon</StatusBadge>
  if (now - Date.parse(lastUsedAt ?? createdAt) > UNUSED_MS)
    return (
      <StatusBadge tone="warn" title="Not used for 30 days.">
        Unused
      </StatusBadge>
    )
  return <StatusBadge tone="ok">Active</StatusBadge>
}

const LastUsed = ({ at }: { at: string | null }) => (at ? <RelativeTime at={at} /> : <>never</>)

const columnsAt = (now: number): Column<ApiToken>[] => [
  {
    id: 'name',
    header: 'Name',
    className: 'w-full max-w-0',
    cell: ({ name, owner, isOwn, role, lastUsedAt, expiresAt }) => (
      <>
        <span className="block truncate">
          <span className="font-medium">
            <VisibleText>{name}</VisibleText>
          </span>{' '}
          <span className="text-ink-3">{owner ? (isOwn ? 'yours' : owner) : 'service account'}</span>
        </span>
        {/* Narrow screens have no columns for this. */}
        <span className="block whitespace-normal text-ink-2 text-xs md:hidden">
          {role} · last used <LastUsed at={lastUsedAt} /> · expires <RelativeTime at={expiresAt} />
        </span>
      </>
    ),
  },
  { id: 'state', header: 'State', className: 'w-32', cell: (token) => <State token={token} now={now} /> },
  {
    id: 'role',
    header: 'Role',
    from: 'md',
    className: 'w-40',
    cell: ({ role, deployments }) => (
      <span className="whitespace-nowrap">
        {role}{' '}
        {deployments ? (
          <Badge title={deployments.join('\n')}>
            {deployments.length} {deployments.length === 1 ? 'deployment' : 'deployments'}
          </Badge>
        ) : null}
      </span>
    ),
  },
  {
    id: 'used',
    header: 'Last used',
    from: 'md',
    className: 'w-32',
    cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    from: 'md',
    className: 'w-32',
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
  },
  {
    id: 'created',
    header: 'Created by',
    from: 'xl',
    className: 'w-56 max-w-56',
    cell: ({ createdBy, createdAt }) => (
      <span className="block truncate text-ink-2" title={createdBy}>
        <RelativeTime at={createdAt} /> · {createdBy}
      </span>
    ),
  },
]
