'use client'
import { Pause, Play, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { count, duration } from '@/lib/format/format'
import { type Player, SPEEDS, type Speed } from './player'

/** Play, pause, speed and position of a replay. */
export function ReplayBar({ player, onClose }: { player: Player; onClose: () => void }) {
  useSyncExternalStore(player.subscribe, player.getVersion, player.getVersion)
  const { isPlaying, positionMs, lengthMs, speed, store } = player
  const said = `${duration(positionMs)} of ${duration(lengthMs)}`
  return (
    <section
      aria-label="Replay"
      className="mb-2 flex flex-wrap items-center gap-2 rounded-lg border bg-panel px-2 py-1.5"
    >
      <Button size="sm" variant="primary" onClick={() => (isPlaying ? player.pause() : player.play())}>
        {isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <input
        type="range"
        aria-label="Position in the recording"
        aria-valuetext={said}
        className="h-6 min-w-32 flex-1 accent-accent"
        min={0}
        max={Math.max(1, Math.ceil(lengthMs))}
        step={Math.max(1, Math.round(lengthMs / 1_000))}
        value={Math.round(positionMs)}
        onChange={(event) => player.seek(Number(event.target.value))}
      />
      <span className="whitespace-nowrap text-ink-2 text-xs tabular-nums">
        {said}, entry {count(store.total)}
      </span>
      <Select
        aria-label="Speed"
        className="h-7 w-[4.5rem] text-xs"
        value={String(speed)}
        onChange={(event) => player.setSpeed(Number(event.target.value) as Speed) /* one of the options below */}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </Select>
      <Button size="icon" variant="ghost" aria-label="Close replay" onClick={onClose}>
        <X aria-hidden />
      </Button>
    </section>
  )
}
