'use client'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import { exchangesOf, type WireEntry } from '@/lib/contracts/wire/exchange'
import { type AgentPlace, askProtocol } from '@/lib/queries/protocols'

/** A stream of many events is drawn this often. */
const REDRAW_MS = 100

/** What is asked of an agent server by a protocol, and what went over the wire meanwhile; one thing at a time. */
export function useConversation({ workspace, deployment }: AgentPlace) {
  const [entries, setEntries] = useState<readonly WireEntry[]>([])
  const [since, setSince] = useState<number>()
  const [wasStopped, setStopped] = useState(false)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = useCallback(
    async (ask: ProtocolAsk): Promise<readonly WireEntry[]> => {
      running.current?.abort()
      const own = new AbortController()
      running.current = own
      const told: WireEntry[] = []
      const draw = () => running.current === own && setEntries([...told])
      setSince(Date.now())
      setStopped(false)
      draw()
      const timer = setInterval(draw, REDRAW_MS)
      await askProtocol({ workspace, deployment }, ask, (more) => told.push(...more), own.signal).catch(() => {})
      clearInterval(timer)
      draw()
      if (running.current === own) setSince(undefined)
      return told
    },
    [workspace, deployment],
  )
  const stop = useCallback(() => {
    running.current?.abort()
    setStopped(true)
  }, [])
  const read = useMemo(() => exchangesOf(entries), [entries])
  return { ...read, isBusy: since !== undefined, since, wasStopped, start, stop }
}
