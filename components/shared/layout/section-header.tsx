import type { ReactNode } from 'react'

/** The header of a section: its title, metrics and main actions. */
export const SectionHeader = ({
  title,
  meta,
  actions,
  children,
}: {
  title: ReactNode
  meta?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}) => (
  <header className="flex flex-wrap items-start gap-x-4 gap-y-2 pb-3">
    <div className="min-w-0 flex-1 basis-72">
      <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="min-w-0 truncate font-semibold text-base">{title}</h2>
        {meta}
      </div>
      {children}
    </div>
    {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
  </header>
)

/** A labelled value. */
export const Figure = ({ label, title, children }: { label: string; title?: string; children: ReactNode }) => (
  <span title={title} className="inline-flex min-w-0 items-center gap-1.5 text-xs">
    <span className="text-ink-3">{label}</span>
    <span className="inline-flex min-w-0 items-center gap-1 text-ink-2 tabular-nums">{children}</span>
  </span>
)
