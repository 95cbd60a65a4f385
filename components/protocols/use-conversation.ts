'use client'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import { exchangesOf, type WireEntry } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { askProtocol } from '@/lib/queries/protocols'

/** How often a stream of many events is rendered. */
const REDRAW_MS = 100

/** Sends protocol requests to an agent server, one at a time, and collects the raw exchange. */
export function useConversation({ workspace, deploymentId }: DeploymentPlace) {
  const [entries, setEntries] = useState<readonly WireEntry[]>([])
  const [since, setSince] = useState<number>()
  const [wasStopped, setStopped] = useState(false)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = useCallback(
    async (ask: ProtocolAsk): Promise<readonly WireEntry[]> => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const received: WireEntry[] = []
      const draw = () => running.current === controller && setEntries([...received])
      setSince(Date.now())
      setStopped(false)
      draw()
      const timer = setInterval(draw, REDRAW_MS)
      await askProtocol({ workspace, deploymentId }, ask, (more) => received.push(...more), controller.signal).catch(
        () => {},
      )
      clearInterval(timer)
      draw()
      if (running.current === controller) setSince(undefined)
      return received
    },
    [workspace, deploymentId],
  )
  const stop = useCallback(() => {
    running.current?.abort()
    setStopped(true)
  }, [])
  const read = useMemo(() => exchangesOf(entries), [entries])
  return { ...read, isBusy: since !== undefined, since, wasStopped, start, stop }
}
