'use client'
import { useRouter } from 'next/navigation'
import { useContext, useRef, useState } from 'react'
import { shownError, useQueued } from '@/components/shared/form/use-queued'
import { startRun } from '@/lib/actions/runs'
import type { ErrorView } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { OnContinued } from './on-continued'

const LOST: ErrorView = {
  code: 'internal',
  message: 'The console did not respond. Send again to find out: this never starts a second run.',
  fields: [],
  requestId: '',
}

/** Starts a run that continues a recording's thread, and opens it. */
export function useGoOn(summary: RecordingSummary, thread: string | null) {
  const router = useRouter()
  const onContinued = useContext(OnContinued)
  const [error, setError] = useState<ErrorView>()
  const [isBusy, setBusy] = useState(false)
  const { queued, attempt } = useQueued()
  // One key per body, so that pressing twice starts one run.
  const key = useRef({ body: '', id: '' })

  async function goOn(request: Record<string, unknown>): Promise<void> {
    if (!thread || isBusy) return
    setError(undefined)
    setBusy(true)
    const body = printJson(request)
    if (key.current.body !== body) key.current = { body, id: newRequestKey() }
    const { workspace, deployment: deploymentId } = summary
    const { id } = key.current
    const sent = attempt(() =>
      startRun({ workspace, deploymentId, thread: { kind: 'existing', id: thread }, body, key: id }),
    )
    const started = await sent.catch((): Awaited<typeof sent> => ({ ok: false, error: LOST }))
    if (started.ok && onContinued) {
      setBusy(false)
      return onContinued(started.data)
    }
    if (started.ok) {
      router.push(routes.recording(summary.workspace, summary.deployment, started.data.id))
      return // stays busy until the new run's page is loaded
    }
    setError(shownError(started.error))
    setBusy(false)
  }
  return { goOn, error, isBusy, queued }
}
