import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Logo } from '@/components/ui/logo'
import { fillsWindow } from '@/components/ui/styles'
import { cn } from '@/lib/cn'

export const metadata: Metadata = { robots: { index: false, follow: false } }

/** Pages that anyone can open. They read nothing from the console's stores. */
export default function PublicLayout({ children }: { children: ReactNode }) {
  return (
    <div className={cn('flex flex-col', fillsWindow.frame)}>
      <header className="flex items-center gap-2.5 border-b bg-panel px-4 py-2">
        <Logo className="size-6" />
        <p className="font-semibold">Pilothouse</p>
        <p className="text-ink-3 text-xs">Read-only</p>
      </header>
      <main className={cn('mx-auto flex w-full max-w-[100rem] flex-1 flex-col px-4 py-3', fillsWindow.main)}>
        {children}
      </main>
    </div>
  )
}
