'use client'
import { useEffect, useRef } from 'react'
import { MULTITASK_CHOICES } from '@/components/runs/start/option-labels'
import { Button } from '@/components/ui/button'
import type { MultitaskStrategy } from '@/lib/contracts/agents/run-options'

/** Asks what to do with a message that is sent during a run. */
export function MultitaskChoice({
  onChoose,
  onCancel,
}: {
  onChoose: (value: MultitaskStrategy) => void
  onCancel: () => void
}) {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => first.current?.focus(), [])
  return (
    <section
      aria-label="A run is active"
      className="mx-auto mb-2 w-full max-w-4xl rounded-lg border border-warn/40 bg-warn-soft p-3 text-sm"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel()
      }}
    >
      <p className="font-medium">A run is active. What should this message do?</p>
      <div className="mt-2 grid gap-1.5 sm:grid-cols-2">
        {MULTITASK_CHOICES.map(({ value, label, hint }, at) => (
          <Button
            key={value}
            ref={at === 0 ? first : undefined}
            className="h-auto flex-col items-start gap-0 whitespace-normal py-1 text-left"
            onClick={() => onChoose(value)}
          >
            {label}
            <span className="font-normal text-ink-3 text-xs">{hint}</span>
          </Button>
        ))}
      </div>
      <p className="mt-2 flex items-center gap-2 text-ink-2 text-xs">
        Remembered in this browser. Change it under Advanced.
        <Button size="sm" variant="ghost" className="ml-auto" onClick={onCancel}>
          Cancel
        </Button>
      </p>
    </section>
  )
}
