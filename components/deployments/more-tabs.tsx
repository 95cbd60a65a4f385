'use client'
import { ChevronDown } from 'lucide-react'
import type { Route } from 'next'
import { lazy } from 'react'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import { tabStyle } from '@/components/ui/styles'

const load = () => import('./more-tabs-menu').then(({ MoreTabsMenu }) => ({ default: MoreTabsMenu }))
const MoreTabsMenu = lazy(load)

type Part = { label: string; href: Route; isCurrent: boolean }

/** The pages of a deployment that have no tab. Shows the name of the open one. */
export function MoreTabs({ parts }: { parts: readonly Part[] }) {
  const current = parts.find(({ isCurrent }) => isCurrent)
  const trigger = (
    <button
      type="button"
      aria-label={current ? `More, ${current.label} is open` : 'More pages'}
      aria-current={current ? 'page' : undefined}
      className={tabStyle}
    >
      {current?.label ?? 'More'}
      <ChevronDown aria-hidden className="size-3.5" />
    </button>
  )
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <MoreTabsMenu trigger={trigger} parts={parts} />
    </MenuOnDemand>
  )
}
