'use client'
import { useQueryClient } from '@tanstack/react-query'
import { CircleStop } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import type { Selection } from '@/components/shared/list/use-selection'
import { Button } from '@/components/ui/button'
import { agentServer } from '@/lib/contracts/agent-server'
import { MAX_RUNS } from '@/lib/contracts/agents/run-row'
import { count } from '@/lib/format/format'
import { invalidate } from '@/lib/queries/api-query'

const CancelRuns = dynamic(() => import('./cancel-runs').then((module) => module.CancelRuns), { ssr: false })

type Props = { workspace: string; selection: Selection; onPage: (id: string) => boolean }

/** What may be done with the selected runs together. */
export function RunsBar({ workspace, selection, onPage }: Props) {
  const client = useQueryClient()
  const { run } = useReasons()
  const [isCancelling, setCancelling] = useState(false)
  const { selected, clear, drop } = selection
  const elsewhere = selected.filter(({ id }) => !onPage(id)).length
  const reason = run ?? (selected.length > MAX_RUNS ? `At most ${MAX_RUNS} can be cancelled at once.` : undefined)
  return (
    <>
      {selected.length > 0 ? (
        <section
          aria-label="Selected runs"
          className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border bg-panel px-3 py-2 shadow-pop"
        >
          <span role="status" className="tabular-nums">
            {count(selected.length)} selected
            {elsewhere > 0 ? <span className="text-ink-3"> ({count(elsewhere)} not on this page)</span> : null}
          </span>
          <Button size="sm" onClick={clear}>
            Clear selection
          </Button>
          <Button size="sm" variant="danger" reason={reason} onClick={() => setCancelling(true)}>
            <CircleStop aria-hidden />
            Cancel…
          </Button>
        </section>
      ) : null}
      {isCancelling ? (
        <CancelRuns
          workspace={workspace}
          runs={selected}
          onDone={(over) => {
            drop(over)
            void invalidate(client, agentServer.listRuns, workspace)
          }}
          onClose={() => setCancelling(false)}
        />
      ) : null}
    </>
  )
}
