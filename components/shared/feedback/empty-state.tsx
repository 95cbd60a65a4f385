import type { ReactNode } from 'react'

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
