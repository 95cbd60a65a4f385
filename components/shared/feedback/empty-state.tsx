import type { ReactNode } from 'react'
import { PageHeader } from '@/components/shared/layout/page-header'

/** Why nothing is shown, and the next step. */
export const EmptyState = ({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) => (
  <div className="flex flex-col items-center gap-1 px-6 py-14 text-center">
    <p className="font-medium text-base">{title}</p>
    {children ? <p className="max-w-md text-ink-2 text-sm">{children}</p> : null}
    {action ? <div className="mt-3">{action}</div> : null}
  </div>
)

/** Replaces a page that only administrators of the workspace, or of the whole console, may see. */
export const ForAdmins = ({ title, role, isOfConsole }: { title: string; role: string; isOfConsole?: boolean }) => (
  <>
    <PageHeader title={title} />
    <div className="rounded-lg border bg-panel">
      <EmptyState title="Administrators only">
        {isOfConsole
          ? 'This needs the admin role for the whole console.'
          : `You are a ${role} in this workspace. Ask an administrator for access.`}
      </EmptyState>
    </div>
  </>
)

/** A page of the whole workspace, for someone who has roles for some of its deployments. */
export const ForMembers = ({ title, action }: { title: string; action?: ReactNode }) => (
  <>
    <PageHeader title={title} />
    <div className="rounded-lg border bg-panel">
      <EmptyState title="Members of the workspace only" action={action}>
        Your roles are for some of its deployments. Ask an administrator for access.
      </EmptyState>
    </div>
  </>
)

/** A feature that the server does not support. */
export const NotOffered = ({ what, reason }: { what: string; reason: string }) => (
  <div className="rounded-lg border bg-panel">
    <EmptyState title={`No ${what} on this server`}>{reason}</EmptyState>
  </div>
)
