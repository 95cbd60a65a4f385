'use client'
import { useQuery } from '@tanstack/react-query'
import { DifferenceList } from '@/components/shared/difference-list'
import { ErrorNotice } from '@/components/shared/error-notice'
import { useDifferences } from '@/components/shared/use-differences'
import { Skeleton } from '@/components/ui/skeleton'
import type { CheckpointPlace } from '@/lib/contracts/thread-edit'
import { stateAtQuery } from '@/lib/queries/threads'
import type { ThreadPlace } from './light-thread'

type Props = { place: ThreadPlace; from: CheckpointPlace; to: CheckpointPlace }

/** What differs between the states of two checkpoints. */
export function StateDifference({ place: { workspace, deployment, thread }, from, to }: Props) {
  const old = useQuery(stateAtQuery(workspace, deployment, thread, from))
  const now = useQuery(stateAtQuery(workspace, deployment, thread, to))
  const failed = old.error ? old : now.error ? now : undefined
  if (failed?.error)
    return <ErrorNotice error={failed.error.view} onRetry={() => void failed.refetch()} className="m-3" />
  if (!old.data || !now.data) return <Skeleton className="m-4 h-40" />
  return <Differences old={old.data.values} now={now.data.values} />
}

function Differences({ old, now }: { old: unknown; now: unknown }) {
  const found = useDifferences(old, now)
  if (!found) return <Skeleton className="m-4 h-40" />
  return (
    <DifferenceList
      label="Differences of the states"
      differences={found}
      empty="Both checkpoints hold the same values."
      className="h-full"
    />
  )
}
