'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { toast } from '@/components/ui/toast'
import { copyThread } from '@/lib/actions/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { routes } from '@/lib/routes'

/** Copies a thread and opens the copy. */
export function CopyThread({ place, onClose }: { place: ThreadPlace; onClose: () => void }) {
  const router = useRouter()
  const [key] = useState(newRequestKey)
  const { isBusy, error, save } = useSave<{ thread: string }>()
  const copy = () =>
    void save(
      () => copyThread({ place, key }),
      ({ thread }) => {
        toast.success('Thread copied. This is the copy.')
        onClose()
        router.push(routes.thread(place.workspace, place.deploymentId, thread))
      },
    )
  return (
    <Dialog open onOpenChange={() => isBusy || onClose()} title="Copy this thread?">
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">
          The copy gets a new id and keeps the state, metadata and history. Runs are not copied.
        </p>
        {error ? <ErrorNotice error={error} /> : null}
        <div className="flex flex-wrap justify-end gap-2">
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" isBusy={isBusy} onClick={copy}>
            Copy thread
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
