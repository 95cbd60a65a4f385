'use client'
import { useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useReasons } from '@/components/shared/rights'
import type { Selection } from '@/components/shared/use-selection'
import { Button } from '@/components/ui/button'
import { MAX_BULK } from '@/lib/contracts/bulk'
import { controlPlane } from '@/lib/contracts/control-plane'
import { count } from '@/lib/format'
import { invalidate } from '@/lib/queries/api-query'

const BulkDelete = dynamic(() => import('./bulk-delete').then((module) => module.BulkDelete), { ssr: false })

type BulkBarProps = { workspace: string; selection: Selection; onPage: (id: string) => boolean }

/** What may be done with the selected rows together. */
export function BulkBar({ workspace, selection, onPage }: BulkBarProps) {
  const client = useQueryClient()
  const { administer } = useReasons()
  const [isDeleting, setDeleting] = useState(false)
  const { selected, clear, drop } = selection
  const elsewhere = selected.filter(({ id }) => !onPage(id)).length
  const reason = administer ?? (selected.length > MAX_BULK ? `At most ${MAX_BULK} can be deleted at once.` : undefined)
  return (
    <>
      {selected.length > 0 ? (
        <section
          aria-label="Selected deployments"
          className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border bg-panel px-3 py-2 shadow-pop"
        >
          <span role="status" className="tabular-nums">
            {count(selected.length)} selected
            {elsewhere > 0 ? <span className="text-ink-3"> ({count(elsewhere)} on other pages)</span> : null}
          </span>
          <Button size="sm" onClick={clear}>
            Clear selection
          </Button>
          <Button size="sm" variant="danger" reason={reason} onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden />
            Delete…
          </Button>
        </section>
      ) : null}
      {isDeleting ? (
        <BulkDelete
          workspace={workspace}
          selected={selected}
          onDone={(gone) => {
            drop(gone)
            void invalidate(client, controlPlane.listDeployments, workspace)
          }}
          onClose={() => setDeleting(false)}
        />
      ) : null}
    </>
  )
}
