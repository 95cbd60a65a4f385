'use client'
import { Download } from 'lucide-react'
import { lazy } from 'react'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'

const load = () => import('./export-menu').then(({ ExportMenu }) => ({ default: ExportMenu }))
const ExportMenu = lazy(load)

const trigger = (
  <Button>
    <Download aria-hidden />
    Export
  </Button>
)

/** Exports all deployments that match the filter as a file. */
export const ExportButton = (props: { workspace: string; query: Record<string, string> }) => (
  <MenuOnDemand trigger={trigger} load={load}>
    <ExportMenu {...props} trigger={trigger} />
  </MenuOnDemand>
)
