'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Spinner } from '@/components/ui/loading'
import { joinRun } from '@/lib/actions/runs'
import type { ErrorView } from '@/lib/errors'
import { routes } from '@/lib/routes'

type Props = { workspace: string; deploymentId: string; thread: string; run: string }

/** Starts recording a run that was started elsewhere, and opens its page. Joining twice opens the same recording. */
export function JoinRun({ workspace, deploymentId, thread, run }: Props) {
  const router = useRouter()
  const [attempt, setAttempt] = useState(0)
  const [failed, setFailed] = useState<{ attempt: number; error: ErrorView }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt sends one request
  useEffect(() => {
    let isLeft = false
    const go = async () => {
      const joined = await joinRun({ workspace, deploymentId, thread, run }).catch(() => undefined)
      if (isLeft) return
      // Replaces this page in the history, so that Back returns to the list.
      if (joined?.ok) router.replace(routes.recording(workspace, deploymentId, joined.data.recording))
      // A stateless run is removed with its thread at its end; then its trace is all there is.
      else if (joined?.error.code === 'not_found') router.replace(routes.traceOfRun(workspace, deploymentId, run))
      else setFailed({ attempt, error: joined?.error ?? LOST })
    }
    void go()
    return () => {
      isLeft = true
    }
  }, [attempt, workspace, deploymentId, thread, run])
  if (failed?.attempt === attempt)
    return <ErrorNotice error={failed.error} onRetry={() => setAttempt((before) => before + 1)} />
  return (
    <p role="status" className="flex items-center justify-center gap-2 py-16 text-ink-2">
      <Spinner />
      This run was started elsewhere. Joining it…
    </p>
  )
}

const LOST: ErrorView = { code: 'internal', message: 'The console did not respond.', fields: [], requestId: '' }
