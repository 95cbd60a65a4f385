import { EmptyState } from './empty-state'

/** A feature that the server does not support. */
export const NotOffered = ({ what, reason }: { what: string; reason: string }) => (
  <div className="rounded-lg border bg-panel">
    <EmptyState title={`No ${what} on this server`}>{reason}</EmptyState>
  </div>
)
