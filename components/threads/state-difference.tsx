'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { DifferenceList, useDifferences } from '@/components/shared/conflict/difference-list'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Skeleton } from '@/components/ui/loading'
import type { CheckpointPlace } from '@/lib/contracts/agents/thread-edit'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { LargeDifferences } from '@/lib/json/difference-source'
import { LargeJson } from '@/lib/json/large-json'
import { printJson } from '@/lib/json/lossless'
import { type LoadedState, stateAtQuery } from '@/lib/queries/thread-states'

type Props = { place: ThreadPlace; from: CheckpointPlace; to: CheckpointPlace }
type Sides = { old: LoadedState; now: LoadedState }

/** The differences between the states of two checkpoints. */
export function StateDifference({ place: { workspace, deploymentId, thread }, from, to }: Props) {
  const old = useQuery(stateAtQuery(workspace, deploymentId, thread, from))
  const now = useQuery(stateAtQuery(workspace, deploymentId, thread, to))
  const failed = old.error ? old : now.error ? now : undefined
  if (failed?.error)
    return <ErrorNotice error={failed.error.view} onRetry={() => void failed.refetch()} className="m-3" />
  if (!old.data || !now.data) return <Skeleton className="m-4 h-40" />
  const Compared = old.data.large || now.data.large ? LargeStates : SmallStates
  return <Compared old={old.data} now={now.data} />
}

function SmallStates({ old, now }: Sides) {
  return <Differences found={useDifferences(old.values, now.values)} />
}

/** Compares in the worker, where large states are. A small state is copied there. */
function LargeStates({ old, now }: Sides) {
  const [found, setFound] = useState<LargeDifferences>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isGone = false
    const made: { release(): void }[] = []
    const documentOf = ({ large, values }: LoadedState) => {
      if (large) return large
      const own = new LargeJson()
      own.add(new TextEncoder().encode(printJson(values)))
      own.end()
      made.push(own)
      return own
    }
    const sides = [documentOf(old), documentOf(now)] as const
    Promise.all(sides.map(({ whole }) => whole)).then(
      () => {
        if (isGone) return
        const differences = new LargeDifferences(...sides)
        made.push(differences)
        setFound(differences)
      },
      (error: Error) => setProblem(error.message),
    )
    return () => {
      isGone = true
      setFound(undefined)
      for (const one of made) one.release()
    }
  }, [old, now])
  return problem ? <ErrorNotice error={{ message: problem }} className="m-3" /> : <Differences found={found} />
}

function Differences({ found }: { found: ReturnType<typeof useDifferences> }) {
  if (!found) return <Skeleton className="m-4 h-40" />
  return (
    <DifferenceList
      label="Differences"
      differences={found}
      empty="The checkpoints have the same values."
      className="h-full"
    />
  )
}
