'use client'
import { useQueryClient } from '@tanstack/react-query'
import { CircleStop, Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useReasons } from '@/components/shared/rights'
import type { Selection } from '@/components/shared/use-selection'
import { Button } from '@/components/ui/button'
import { agentServer } from '@/lib/contracts/agent-server'
import { MAX_THREADS } from '@/lib/contracts/thread-edit'
import { count } from '@/lib/format'
import { invalidate } from '@/lib/queries/api-query'
import type { BulkVerb } from './bulk-dialog'

const BulkDialog = dynamic(() => import('./bulk-dialog').then((module) => module.BulkDialog), { ssr: false })

type Props = { workspace: string; deployment: string; selection: Selection; onPage: (id: string) => boolean }

/** What may be done with the selected threads together. */
export function ThreadsBar({ workspace, deployment, selection, onPage }: Props) {
  const client = useQueryClient()
  const { run } = useReasons()
  const [verb, setVerb] = useState<BulkVerb>()
  const { selected, clear, drop } = selection
  const elsewhere = selected.filter(({ id }) => !onPage(id)).length
  const reason = run ?? (selected.length > MAX_THREADS ? `At most ${MAX_THREADS} can be changed at once.` : undefined)
  return (
    <>
      {selected.length > 0 ? (
        <section
          aria-label="Selected threads"
          className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border bg-panel px-3 py-2 shadow-pop"
        >
          <span role="status" className="tabular-nums">
            {count(selected.length)} selected
            {elsewhere > 0 ? <span className="text-ink-3"> ({count(elsewhere)} on other pages)</span> : null}
          </span>
          <Button size="sm" onClick={clear}>
            Clear selection
          </Button>
          <Button size="sm" reason={reason} onClick={() => setVerb('cancel')}>
            <CircleStop aria-hidden />
            Cancel their runs…
          </Button>
          <Button size="sm" variant="danger" reason={reason} onClick={() => setVerb('delete')}>
            <Trash2 aria-hidden />
            Delete…
          </Button>
        </section>
      ) : null}
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
