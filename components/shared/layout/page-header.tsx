import type { ReactNode } from 'react'

export type HeaderProps = {
  title: ReactNode
  meta?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

/** The header of a page: its title, status and main actions. */
export const PageHeader = ({ title, meta, actions, children }: HeaderProps) => (
  <header className="flex flex-wrap items-start gap-x-4 gap-y-2 pb-4">
    <div className={`min-w-0 flex-1 ${meta || children ? 'basis-64' : 'basis-40'} sm:basis-64`}>
      <h1 className="truncate font-semibold text-xl tracking-tight">{title}</h1>
      {meta ? <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2 text-xs">{meta}</div> : null}
      {children}
    </div>
    {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
  </header>
)
