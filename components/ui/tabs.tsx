'use client'
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

export const tabStyle =
  '-mb-px inline-flex h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-0.5 text-ink-2 text-sm hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink data-[state=active]:border-accent data-[state=active]:text-ink'
export const tabListStyle = 'flex gap-5 overflow-x-auto border-b'

/** Scrolls a list that is wider than the screen so far that this tab is seen; the page itself stays where it is. */
export function showTab(tab: HTMLElement | null) {
  const list = tab?.parentElement
  if (!tab || !list) return
  const beyond = tab.getBoundingClientRect().right - list.getBoundingClientRect().right
  if (beyond > 0) list.scrollLeft += beyond
}

type TabsProps = {
  label: string
  value: string
  onValueChange: (value: string) => void
  tabs: { value: string; label: ReactNode }[]
  /** The panel of the chosen tab. */
  children: ReactNode
  className?: string
}

/** Tabs within a page. Whoever shows them keeps the choice, in the URL where it should survive a reload. */
export const Tabs = ({ label, value, onValueChange, tabs, children, className }: TabsProps) => (
  <Radix.Root value={value} onValueChange={onValueChange} className={cn('flex flex-col base:min-h-0', className)}>
    <Radix.List aria-label={label} className={tabListStyle}>
      {tabs.map((tab) => (
        <Radix.Trigger key={tab.value} value={tab.value} className={tabStyle}>
          {tab.label}
        </Radix.Trigger>
      ))}
    </Radix.List>
    <Radix.Content value={value} className="min-h-0 flex-1 pt-4">
      {children}
    </Radix.Content>
  </Radix.Root>
)
