import type { ReactNode } from 'react'

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-flex h-4 min-w-4 items-center justify-center rounded-sm border border-line bg-sunken px-1 font-sans text-2xs text-ink-3">
    {children}
  </kbd>
)
