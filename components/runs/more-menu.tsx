'use client'
import { Ellipsis } from 'lucide-react'
import { lazy } from 'react'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import type { RecordingSummary } from '@/lib/stream/log'

const load = () => import('./more-choices').then(({ MoreChoices }) => ({ default: MoreChoices }))
const MoreChoices = lazy(load)

/** What else may be done with a recording. */
export function MoreMenu({ summary, onReplay }: { summary: RecordingSummary; onReplay: (() => void) | undefined }) {
  const trigger = (
    <Button aria-label="More">
      <Ellipsis aria-hidden />
    </Button>
  )
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <MoreChoices trigger={trigger} summary={summary} onReplay={onReplay} />
    </MenuOnDemand>
  )
}
