'use client'
import { type ReactNode, useEffect, useState } from 'react'
import type { EntryLog } from '@/lib/stream/entry-log'
import { Player } from './player'
import { ReplayBar } from './replay-bar'
import type { RunStore } from './run-store'

type Props = { log: EntryLog; onClose: () => void; children: (store: RunStore) => ReactNode }

/** Replays a recorded run; `children` renders the replayed part. */
export function ReplayPane({ log, onClose, children }: Props) {
  const [player] = useState(() => new Player(log))
  useEffect(() => {
    player.seek(0)
    player.play()
    return () => player.pause()
  }, [player])
  return (
    <>
      <ReplayBar player={player} onClose={onClose} />
      {children(player.store)}
    </>
  )
}
