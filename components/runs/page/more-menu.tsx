'use client'
import { Ellipsis } from 'lucide-react'
import dynamic from 'next/dynamic'
import { lazy, useState } from 'react'
import type { RunStore } from '@/components/runs/view/run-store'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import type { RecordingSummary } from '@/lib/stream/log'

const load = () => import('./more-choices').then(({ MoreChoices }) => ({ default: MoreChoices }))
const MoreChoices = lazy(load)
const ShareDialog = dynamic(() => import('./share-dialog').then(({ ShareDialog }) => ShareDialog))

type Props = { summary: RecordingSummary; store: RunStore; isGone: boolean; onReplay: (() => void) | undefined }

/** More actions on a recording. */
export function MoreMenu({ store, ...props }: Props) {
  const [isSharing, setSharing] = useState(false)
  const trigger = (
    <Button size="sm" aria-label="More actions">
      <Ellipsis aria-hidden />
    </Button>
  )
  return (
    <>
      <MenuOnDemand trigger={trigger} load={load}>
        <MoreChoices trigger={trigger} onShare={() => setSharing(true)} {...props} />
      </MenuOnDemand>
      {isSharing ? <ShareDialog summary={props.summary} store={store} onClose={() => setSharing(false)} /> : null}
    </>
  )
}
