'use client'
import { GitFork } from 'lucide-react'
import { createContext, useContext } from 'react'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'

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
