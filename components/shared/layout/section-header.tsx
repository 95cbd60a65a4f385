import type { ReactNode } from 'react'
import type { HeaderProps } from './page-header'

/** The header of a section: its title, metrics and main actions. */
export const SectionHeader = ({ title, meta, actions, children }: HeaderProps) => (
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

/** The header of a record that fills its page: one line, with more facts behind a button. */
export const RecordHeader = ({ title, meta, actions, children }: HeaderProps) => (
  <header className="relative flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 py-1 min-[1400px]:gap-x-4">
    <h1 className="min-w-0 max-w-60 truncate font-semibold text-base">{title}</h1>
    {meta}
    {children ? (
      <details className="group relative max-sm:static">
        <summary className="list-none rounded-sm text-accent text-xs hover:underline [&::-webkit-details-marker]:hidden">
          Details
        </summary>
        <div className="absolute left-0 z-20 mt-1 flex w-max max-w-[min(40rem,80vw)] flex-col gap-1.5 rounded-lg border bg-panel p-3 shadow-pop max-sm:inset-x-0 max-sm:w-auto max-sm:max-w-none">
          {children}
        </div>
      </details>
    ) : null}
    {actions ? <div className="order-2 ml-auto flex flex-wrap items-center gap-1.5">{actions}</div> : null}
  </header>
)
