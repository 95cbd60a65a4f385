'use client'
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { tabListStyle, tabStyle } from './styles'

type TabsProps = {
  label: string
  value: string
  onValueChange: (value: string) => void
  tabs: { value: string; label: ReactNode }[]
  /** At the end of the line of tabs, on wide screens. */
  aside?: ReactNode
  /** The panel of the selected tab. */
  children: ReactNode
  className?: string
}

/** Tabs within a page. The parent keeps the selection, in the URL if it should survive a reload. */
export const Tabs = ({ label, value, onValueChange, tabs, aside, children, className }: TabsProps) => (
  <Radix.Root
    value={value}
    onValueChange={onValueChange}
    className={cn('relative flex flex-col base:min-h-0', className)}
  >
    <Radix.List aria-label={label} className={tabListStyle}>
      {tabs.map((tab) => (
        <Radix.Trigger key={tab.value} value={tab.value} className={tabStyle}>
          {tab.label}
        </Radix.Trigger>
      ))}
    </Radix.List>
    {aside ? <div className="absolute top-0 right-0 hidden h-9 items-center lg:flex">{aside}</div> : null}
    <Radix.Content value={value} className="min-h-0 flex-1 pt-4">
      {children}
    </Radix.Content>
  </Radix.Root>
)
