'use client'
import { ChevronDown } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { lazy, useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import type { Thread } from '@/lib/contracts/agents/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { shortId } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import type { ThreadTask } from './thread-menu'

const load = () => import('./thread-menu').then(({ ThreadMenu }) => ({ default: ThreadMenu }))
const ThreadMenu = lazy(load)
const BulkDialog = dynamic(() => import('./bulk-dialog').then((module) => module.BulkDialog), { ssr: false })
const CopyThread = dynamic(() => import('./copy-thread').then((module) => module.CopyThread), { ssr: false })
const EditMetadata = dynamic(() => import('./edit-metadata').then((module) => module.EditMetadata), { ssr: false })

/** `title`: empty while it is unknown. */
type Props = { place: ThreadPlace; metadata: Thread['metadata'] | undefined; title: string }

/** Actions on a thread, apart from running on it. */
export function ThreadVerbs({ place, metadata, title }: Props) {
  const { workspace, deploymentId, thread } = place
  const router = useRouter()
  const whyNot = useReasons().run
  const [task, setTask] = useState<ThreadTask>()
  const [isGone, setGone] = useState(false)
  const close = () => {
    setTask(undefined)
    if (isGone) router.push(routes.threads(workspace, deploymentId))
  }
  const trigger = (
    <Button aria-label="More">
      More
      <ChevronDown aria-hidden />
    </Button>
  )
  return (
    <>
      <MenuOnDemand trigger={trigger} load={load}>
        <ThreadMenu trigger={trigger} reason={whyNot} hasMetadata={metadata !== undefined} onTask={setTask} />
      </MenuOnDemand>
      {task === 'copy' ? <CopyThread place={place} onClose={close} /> : null}
      {task === 'metadata' && metadata ? <EditMetadata place={place} metadata={metadata} onClose={close} /> : null}
      {task === 'cancel' || task === 'delete' ? (
        <BulkDialog
          verb={task}
          workspace={workspace}
          deploymentId={deploymentId}
          threads={[{ id: thread, name: title ? `${title} ${shortId(thread)}` : thread }]}
          onDone={(gone) => setGone(gone.length > 0)}
          onClose={close}
        />
      ) : null}
    </>
  )
}
