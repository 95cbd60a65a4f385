'use client'
import { useQueryClient } from '@tanstack/react-query'
import { CircleStop, Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { SelectionBar } from '@/components/shared/list/selection-bar'
import type { Selection } from '@/components/shared/list/use-selection'
import { Button } from '@/components/ui/button'
import { agentServer } from '@/lib/contracts/agent-server'
import { MAX_THREADS } from '@/lib/contracts/agents/thread-edit'
import { invalidate } from '@/lib/queries/api-query'
import type { BulkVerb } from './bulk-dialog'

const BulkDialog = dynamic(() => import('./bulk-dialog').then((module) => module.BulkDialog), { ssr: false })

type Props = { workspace: string; deployment: string; selection: Selection; onPage: (id: string) => boolean }

/** What may be done with the selected threads together. */
export function ThreadsBar({ workspace, deployment, selection, onPage }: Props) {
  const client = useQueryClient()
  const { run } = useReasons()
  const [verb, setVerb] = useState<BulkVerb>()
  const { selected, drop } = selection
  const reason = run ?? (selected.length > MAX_THREADS ? `At most ${MAX_THREADS} can be changed at once.` : undefined)
  return (
    <>
      <SelectionBar label="Selected threads" selection={selection} onPage={onPage}>
        <Button size="sm" reason={reason} onClick={() => setVerb('cancel')}>
          <CircleStop aria-hidden />
          Cancel their runs…
        </Button>
        <Button size="sm" variant="danger" reason={reason} onClick={() => setVerb('delete')}>
          <Trash2 aria-hidden />
          Delete…
        </Button>
      </SelectionBar>
      {verb ? (
        <BulkDialog
          verb={verb}
          workspace={workspace}
          deployment={deployment}
          ids={selected.map(({ id }) => id)}
          onDone={(gone) => {
            drop(gone)
            void invalidate(client, agentServer.searchThreads, workspace)
            void invalidate(client, agentServer.countThreads, workspace)
          }}
          onClose={() => setVerb(undefined)}
        />
      ) : null}
    </>
  )
}
