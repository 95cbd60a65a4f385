'use client'
import { useRef, useState } from 'react'
import { shownError, useQueued } from '@/components/shared/form/use-queued'
import { startRun } from '@/lib/actions/runs'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import type { RecordingSummary } from '@/lib/stream/log'

export const LOST: ErrorView = {
  code: 'internal',
  message: 'The console did not respond. Send again to find out: this never starts a second run.',
  fields: [],
  requestId: '',
}

/** Starts recorded runs on a thread, or on a new one. Sending the same twice after a failure starts one run. */
export function useSend(place: DeploymentPlace, thread: string | undefined) {
  const [error, setError] = useState<ErrorView>()
  const [isSending, setSending] = useState(false)
  const { queued, attempt } = useQueued()
  const isBusy = useRef(false)
  const key = useRef({ body: '', id: '' })

  async function send(request: Record<string, unknown>, to = place): Promise<RecordingSummary | undefined> {
    if (isBusy.current) return undefined
    isBusy.current = true
    setSending(true)
    setError(undefined)
    const body = printJson(request)
    const mark = `${to.deploymentId} ${thread ?? ''} ${body}`
    if (key.current.body !== mark) key.current = { body: mark, id: newRequestKey() }
    const { id } = key.current
    const on = thread ? { kind: 'existing' as const, id: thread } : { kind: 'new' as const }
    const sent = attempt(() => startRun({ ...to, thread: on, body, key: id }))
    const result = await sent.catch((): Awaited<typeof sent> => ({ ok: false, error: LOST }))
    isBusy.current = false
    setSending(false)
    if (!result.ok) {
      setError(shownError(result.error))
      return undefined
    }
    key.current = { body: '', id: '' } // saying the same again is a new run
    return result.data
  }
  return { send, error, setError, isSending, queued }
}
