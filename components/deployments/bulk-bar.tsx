'use client'
import { useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { SelectionBar } from '@/components/shared/list/selection-bar'
import type { Selection } from '@/components/shared/list/use-selection'
import { Button } from '@/components/ui/button'
import { controlPlane } from '@/lib/contracts/control-plane'
import { MAX_BULK } from '@/lib/contracts/wire/bulk'
import { invalidate } from '@/lib/queries/api-query'

const BulkDelete = dynamic(() => import('./bulk-delete').then((module) => module.BulkDelete), { ssr: false })

type BulkBarProps = { workspace: string; selection: Selection; onPage: (id: string) => boolean }

/** What may be done with the selected rows together. */
export function BulkBar({ workspace, selection, onPage }: BulkBarProps) {
  const client = useQueryClient()
  const { administer } = useReasons()
  const [isDeleting, setDeleting] = useState(false)
  const { selected, drop } = selection
  const reason = administer ?? (selected.length > MAX_BULK ? `At most ${MAX_BULK} can be deleted at once.` : undefined)
  return (
    <>
      <SelectionBar label="Selected deployments" selection={selection} onPage={onPage}>
        <Button size="sm" variant="danger" reason={reason} onClick={() => setDeleting(true)}>
          <Trash2 aria-hidden />
          Delete…
        </Button>
      </SelectionBar>
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
