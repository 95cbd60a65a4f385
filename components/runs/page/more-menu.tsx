'use client'
import { Ellipsis } from 'lucide-react'
import { lazy } from 'react'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import type { RecordingSummary } from '@/lib/stream/log'

const load = () => import('./more-choices').then(({ MoreChoices }) => ({ default: MoreChoices }))
const MoreChoices = lazy(load)

type Props = { summary: RecordingSummary; isGone: boolean; onReplay: (() => void) | undefined }

/** More actions on a recording. */
export function MoreMenu(props: Props) {
  const trigger = (
    <Button size="sm" aria-label="More actions">
      <Ellipsis aria-hidden />
    </Button>
  )
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <MoreChoices trigger={trigger} {...props} />
    </MenuOnDemand>
  )
}
