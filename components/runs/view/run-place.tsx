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
