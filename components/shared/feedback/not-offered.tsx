import { EmptyState } from './empty-state'

/** A part of the page that the server does not have: why, and that this is no failure. */
export const NotOffered = ({ what, reason }: { what: string; reason: string }) => (
  <div className="rounded-lg border bg-panel">
    <EmptyState title={`No ${what} on this server`}>{reason}</EmptyState>
  </div>
)
