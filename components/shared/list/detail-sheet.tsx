'use client'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { sheetOverList } from '@/components/ui/styles'
import { cn } from '@/lib/cn'
import { useSheet } from './use-sheet'

type Props = {
  label: string
  /** The sheet's first line. */
  title: ReactNode
  onClose: () => void
  className?: string
  children: ReactNode
}

/** What a list leads to: on wide screens beside it, on narrow ones a sheet over it with a way to close it. */
export function DetailSheet({ label, title, onClose, className, children }: Props) {
  const sheet = useSheet(onClose)
  return (
    <section
      ref={sheet}
      tabIndex={-1}
      aria-label={label}
      className={cn(
        'flex min-h-0 min-w-0 flex-col outline-none max-lg:rounded-t-lg max-lg:border max-lg:bg-panel',
        sheetOverList,
        className,
      )}
    >
      <header className="flex items-center gap-2 border-b px-3 py-1.5 lg:hidden">
        <h2 className="min-w-0 flex-1 truncate font-semibold text-sm">{title}</h2>
        <Button size="icon" variant="ghost" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      {children}
    </section>
  )
}
