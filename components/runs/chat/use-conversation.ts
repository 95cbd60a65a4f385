'use client'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { cancelRun } from '@/lib/actions/runs'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { RecordingSummary } from '@/lib/stream/log'
import type { RunMessage } from '@/lib/stream/messages'
import type { Base, Followed } from './chat-body'
import { threadRecordingsQuery } from './chat-queries'
import { LOST, useSend } from './use-send'

/** The runs that this page has started in a conversation, and how to start and stop one. */
export function useConversation(place: DeploymentPlace, thread: string | undefined) {
  const [started, setStarted] = useState<readonly RecordingSummary[]>([])
  const [followed, follow] = useState<Followed>()
  const [stopping, setStopping] = useState<string>()
  const [base, setBase] = useState<Base>()
  const shown = useRef<readonly RunMessage[]>([])
  const { send, error, setError, isSending, queued } = useSend(place, thread)
  // Until the body follows the runs, what the page was loaded with tells whether one can be stopped.
  const known = useQuery({
    ...threadRecordingsQuery({ ...place, thread: thread ?? '' }),
    enabled: thread !== undefined,
  }).data?.findLast(({ phase }) => phase !== 'ended')
  const current = followed ? followed.current : (started.at(-1) ?? known)
  const isActive = followed ? followed.isActive : started.length > 0 || known !== undefined

  const add = useCallback((one: RecordingSummary) => setStarted((now) => [...now, one]), [])
  /** Starts a run from what is shown, up to a message for a fork. */
  async function start(request: Record<string, unknown>, until = shown.current.length): Promise<boolean> {
    const messages = shown.current.slice(0, until)
    const summary = await send(request)
    if (!summary) return false
    if (!isActive) setBase({ of: summary.id, messages })
    add(summary)
    return true
  }
  const isStopping = stopping !== undefined && stopping === current?.id
  async function stop(): Promise<void> {
    if (!current || isStopping) return
    setStopping(current.id)
    const sent = cancelRun({ workspace: place.workspace, recording: current.id, action: 'interrupt' })
    const result = await sent.catch((): Awaited<typeof sent> => ({ ok: false, error: LOST }))
    if (result.ok) return
    setError(result.error)
    setStopping(undefined)
  }
  /** What `ChatBody` follows. */
  const body = { started, base, setBase, shown, start, stopping, onError: setError, onFollow: follow }
  return { body, followed, current, isActive, isSending, queued, isStopping, error, setError, start, stop, add }
}
