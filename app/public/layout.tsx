import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Logo } from '@/components/ui/logo'

export const metadata: Metadata = { robots: { index: false, follow: false } }

/** Pages that anyone can open. They read nothing from the console's stores. */
export default function PublicLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex items-center gap-2.5 border-b bg-panel px-4 py-2">
        <Logo className="size-6" />
        <p className="font-semibold">Pilothouse</p>
        <p className="text-ink-3 text-xs">Read-only</p>
      </header>
      <main className="mx-auto flex w-full max-w-[100rem] flex-1 flex-col px-4 py-3">{children}</main>
    </div>
  )
}
