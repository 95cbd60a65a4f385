import type { ReactNode } from 'react'

/** A section of an overview. */
export const Panel = ({
  title,
  action,
  children,
}: {
  title: string
  /** A link to the full list. */
  action?: ReactNode
  children: ReactNode
}) => (
  <section aria-label={title} className="min-w-0 rounded-lg border bg-panel p-4">
    <div className="mb-2 flex items-baseline justify-between gap-3">
      <h2 className="font-semibold text-sm">{title}</h2>
      {action ? <span className="text-accent text-xs hover:underline">{action}</span> : null}
    </div>
    {children}
  </section>
)
