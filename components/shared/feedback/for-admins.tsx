import { PageHeader } from '@/components/shared/layout/page-header'
import { EmptyState } from './empty-state'

/** Replaces a page that only workspace administrators may see. */
export const ForAdmins = ({ title, role }: { title: string; role: string }) => (
  <>
    <PageHeader title={title} />
    <div className="rounded-lg border bg-panel">
      <EmptyState title="Administrators only">
        You are a {role} in this workspace. Ask an administrator for access.
      </EmptyState>
    </div>
  </>
)
