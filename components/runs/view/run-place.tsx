'use client'
import { GitFork } from 'lucide-react'
import Link from 'next/link'
import { createContext, useContext } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { routes } from '@/lib/routes'

type Place = DeploymentPlace & { assistant: string; thread: string | null }

/** The server location of a recording; undefined for one opened from a file. */
export const RunPlace = createContext<Place | undefined>(undefined)

/** Runs the thread again from the checkpoint before a task; undefined where that is not offered. */
export const RunFromTask = createContext<{ reason: string | undefined; run: (task: string) => void } | undefined>(
  undefined,
)

/** The button to run again from a step, if its task is known. */
export function RunFromHere({ task }: { task: string | undefined }) {
  const offered = useContext(RunFromTask)
  if (!offered || !task) return null
  return (
    <button
      type="button"
      aria-label="Run from here"
      title={offered.reason ?? 'Run again from before this step'}
      aria-disabled={offered.reason ? true : undefined}
      className="inline-flex size-5 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink aria-disabled:cursor-not-allowed"
      onClick={(event) => {
        event.stopPropagation()
        if (!offered.reason) offered.run(task)
      }}
    >
      <GitFork aria-hidden className="size-3" />
    </button>
  )
}

/** Links to the form for a new run from a checkpoint. */
export function ForkLink({ checkpoint }: { checkpoint: string | undefined }) {
  const place = useContext(RunPlace)
  const { run: reason } = useReasons()
  if (!place?.thread || !checkpoint) return null
  const { workspace, deploymentId, assistant, thread } = place
  if (reason)
    return (
      <Button size="sm" variant="ghost" reason={reason}>
        <GitFork aria-hidden />
        Fork
      </Button>
    )
  return (
    <Button size="sm" variant="ghost" asChild>
      <Link
        title={`Start a run from checkpoint ${checkpoint}`}
        href={routes.newRun(workspace, deploymentId, { assistant, thread, checkpoint })}
      >
        <GitFork aria-hidden />
        Fork from here
      </Link>
    </Button>
  )
}
