'use client'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'

/** Closed at first on small screens, where charts would fill the first screen before the list. */
export function FoldedCharts({ show, hide, children }: { show: string; hide: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" className="mb-3 sm:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? hide : show}
      </Button>
      <div className={isOpen ? undefined : 'max-sm:hidden'}>{children}</div>
    </>
  )
}
