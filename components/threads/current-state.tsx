'use client'
import { useQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { threadStateQuery } from '@/lib/queries/thread-states'
import { ThreadState } from './thread-state'
import { useJsonWorker } from './use-json-worker'

const EditState = dynamic(() => import('./edit-state').then((module) => module.EditState), { ssr: false })

type Props = ThreadPlace & { assistant: string | undefined; isBusy: boolean }

/** The thread's newest state as a tree, and the way to edit it. */
export function CurrentState({ assistant, isBusy, ...place }: Props) {
  const { workspace, deploymentId, thread } = place
  const whyNot = useReasons().run
  useJsonWorker()
  const [isEditing, setEditing] = useState(false)
  const state = useQuery(threadStateQuery(workspace, deploymentId, thread))
  if (state.error && !state.data)
    return <ErrorNotice error={state.error.view} onRetry={() => void state.refetch()} className="m-3" />
  const busy = isBusy ? 'A run is active. Wait for it to finish, or cancel it.' : undefined
  return (
    <div className="flex h-full min-h-0 flex-col">
      {state.error ? (
        <ErrorNotice error={state.error.view} onRetry={() => void state.refetch()} className="m-2" />
      ) : null}
      <div className="min-h-0 flex-1">
        <ThreadState
          state={state.data}
          label="State"
          actions={
            <Button
              size="sm"
              reason={whyNot ?? (state.data ? busy : 'The state is still loading.')}
              onClick={() => setEditing(true)}
            >
              <Pencil aria-hidden />
              Edit state
            </Button>
          }
        />
      </div>
      {isEditing && state.data ? (
        <EditState
          place={place}
          assistant={assistant}
          state={state.data}
          base={{ id: state.data.checkpoint?.checkpoint_id ?? '', ns: '' }}
          isNewest
          onClose={() => setEditing(false)}
          onWritten={() => setEditing(false)}
        />
      ) : null}
    </div>
  )
}
