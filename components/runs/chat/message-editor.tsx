'use client'
import { useRef } from 'react'
import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/input'

type Props = {
  initial: string
  /** Kept outside: the row is made again when its message moves from a run to the thread's state. */
  text: string
  onText: (text: string) => void
  isBusy: boolean
  reason: string | undefined
  onSend: (text: string) => void
  onCancel: () => void
}

/** A sent message, to change it and run again from before it. */
export function MessageEditor({ initial, text, onText, isBusy, reason, onSend, onCancel }: Props) {
  const form = useRef<HTMLFormElement>(null)
  return (
    <form
      ref={form}
      className="space-y-2 rounded-lg border border-accent bg-accent-soft/60 p-2.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy && !reason && text.trim() !== '') onSend(text)
      }}
    >
      <Textarea
        aria-label="Edited message"
        autoFocus
        value={text}
        onFocus={({ target }) =>
          text === initial ? target.select() : target.setSelectionRange(text.length, text.length)
        }
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel()
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          form.current?.requestSubmit()
        }}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" type="submit" variant="primary" isBusy={isBusy} reason={reason}>
          Run again
        </Button>
        <Button size="sm" onClick={onCancel}>
          Cancel
        </Button>
        <span className="text-ink-3 text-xs">
          Forks the thread before this message. Later messages stay in its history.
        </span>
      </div>
    </form>
  )
}
