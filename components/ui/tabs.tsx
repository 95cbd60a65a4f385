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
  /** The panel of the selected tab. */
  children: ReactNode
  className?: string
}

/** Tabs within a page. The parent keeps the selection, in the URL if it should survive a reload. */
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
