'use client'
import { type RefObject, useCallback, useRef, useState } from 'react'
import { issueError } from '@/components/runs/start/start-issues'
import type { DeploymentPlace, ThreadPlace } from '@/lib/contracts/wire/places'
import { AppError, type ErrorView } from '@/lib/errors'
import { consoleFetch } from '@/lib/queries/relay-fetch'
import type { RunMessage } from '@/lib/stream/messages'
import { plainText } from './message-verbs'
import type { useChatOptions } from './use-chat-options'
import { LOST } from './use-send'

type Props = {
  place: DeploymentPlace
  thread: string | undefined
  chat: ReturnType<typeof useChatOptions>
  shown: RefObject<readonly RunMessage[]>
  start: (request: Record<string, unknown>, until?: number) => Promise<boolean>
  onError: (error: ErrorView) => void
}

/** Runs a message again from before it, as it was or with another text. */
export function useFork(props: Props) {
  const latest = useRef(props)
  latest.current = props
  const [isBusy, setBusy] = useState(false)

  const run = useCallback(async (message: RunMessage, text: string): Promise<boolean> => {
    const { place, thread, chat, shown, start, onError } = latest.current
    if (!thread || !message.id) return false
    setBusy(true)
    try {
      const { checkpoint } = await forkPointOf({ ...place, thread }, message.id)
      const blocks = message.parts.flatMap((part) => (part.kind === 'block' ? [part.block] : []))
      const { chatRequest } = await import('./composer/chat-request')
      const request = await chatRequest({ ...chat, text, blocks, thread })
      if (!request.ok) {
        onError(issueError(request.issues))
        return false
      }
      const at = shown.current.findIndex(({ key }) => key === message.key)
      const body = { ...request.body, ...(checkpoint && { checkpoint: { checkpoint_id: checkpoint } }) }
      return await start(body, at < 0 ? undefined : at)
    } catch (error) {
      onError(error instanceof AppError ? error.view : LOST)
      return false
    } finally {
      setBusy(false)
    }
  }, [])
  const retry = useCallback((message: RunMessage) => void run(message, plainText(message)), [run])
  return { run, retry, isBusy }
}

/** The checkpoint before a message was added; null if the thread began with it. */
const forkPointOf = async ({ workspace, deploymentId, thread }: ThreadPlace, message: string) => {
  const place = [workspace, deploymentId, thread].map(encodeURIComponent).join('/')
  const query = new URLSearchParams({ message })
  return (await consoleFetch(`/api/forks/${place}?${query}`, {})) as { checkpoint: string | null }
}
