'use client'
import { BulkDialog as Bulk } from '@/components/shared/list/bulk-dialog'
import type { Tone } from '@/components/ui/badge'
import { cancelRunsOf, deleteThreads } from '@/lib/actions/threads'
import type { ThreadResult } from '@/lib/contracts/agents/thread-edit'
import { count } from '@/lib/format/format'

export type BulkVerb = 'delete' | 'cancel'

type Props = {
  verb: BulkVerb
  workspace: string
  deploymentId: string
  threads: readonly { id: string; name: string }[]
  /** Ids of the deleted threads. */
  onDone: (gone: string[]) => void
  onClose: () => void
}

const outcomes = (done: string, nothing: string, failed: string): Record<ThreadResult['outcome'], [Tone, string]> => ({
  done: ['ok', done],
  nothing: ['neutral', nothing],
  failed: ['error', failed],
  unknown: ['unknown', 'Unknown'],
})
const VERBS = {
  delete: {
    action: deleteThreads,
    button: 'Delete',
    means: 'Their states, histories and runs are deleted. Active runs are cancelled first. This cannot be undone.',
    outcomes: outcomes('Deleted', 'Already gone', 'Not deleted'),
  },
  cancel: {
    action: cancelRunsOf,
    button: 'Cancel runs of',
    means: 'Running and queued runs are cancelled. What they did so far stays in the threads.',
    outcomes: outcomes('Cancelled', 'No active runs', 'Not cancelled'),
  },
} as const

/** Deletes several threads, or cancels their runs, after a confirmation, and shows the outcome of each. */
export function BulkDialog({ verb, workspace, deploymentId, threads, onDone, onClose }: Props) {
  const { action, button, means, outcomes } = VERBS[verb]
  return (
    <Bulk<ThreadResult>
      verb={`${button} ${count(threads.length)} ${threads.length === 1 ? 'thread' : 'threads'}`}
      means={means}
      subjects={threads}
      isTyped={verb === 'delete'}
      outcomes={outcomes}
      summary={(results) => {
        const good = results.filter(({ outcome }) => outcome === 'done' || outcome === 'nothing').length
        return `${count(good)} of ${count(results.length)} done`
      }}
      send={(request) => action({ workspace, deploymentId, ...request })}
      onResults={(results) =>
        onDone(verb === 'delete' ? results.filter(({ outcome }) => outcome === 'done').map(({ id }) => id) : [])
      }
      onClose={onClose}
    />
  )
}
