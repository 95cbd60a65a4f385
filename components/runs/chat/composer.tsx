'use client'
import { CircleStop, SendHorizontal } from 'lucide-react'
import type { KeyboardEvent, ReactNode, RefObject } from 'react'
import { Button } from '@/components/ui/button'

type Props = {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  placeholder: string
  text: string
  onText: (text: string) => void
  onSend: () => void
  /** Set while a run is active. */
  onStop?: () => void
  isSending: boolean
  isStopping?: boolean
  /** Why nothing can be sent. */
  reason: string | undefined
  autoFocus?: boolean
  /** Other input in place of the message. */
  children?: ReactNode
  /** What stands left of the Send button, in one line. */
  tools?: ReactNode
}

/** The field for a message. Enter sends, Shift+Enter starts a new line, and the focus stays. */
export function Composer(props: Props) {
  const { field, label, placeholder, text, onText, onSend, onStop, isSending, isStopping, reason } = props
  const { autoFocus, children, tools } = props
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (!reason) onSend()
  }
  return (
    <form
      className="mx-auto w-full max-w-4xl rounded-lg border border-line-strong bg-panel p-2 focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {children ?? (
        <textarea
          ref={field}
          rows={1}
          aria-label={label}
          placeholder={placeholder}
          // biome-ignore lint/a11y/noAutofocus: writing is what the page is for
          autoFocus={autoFocus}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={onKeyDown}
          className="field-sizing-content block max-h-[40dvh] min-h-7 w-full resize-none bg-transparent px-1 py-0.5 text-sm outline-none"
        />
      )}
      <div className="mt-1 flex items-center gap-2">
        <div className="flex min-w-0 flex-1 items-center gap-1 sm:gap-2">{tools}</div>
        <span className="hidden text-ink-3 text-xs md:inline">{children ? null : 'Enter to send'}</span>
        {onStop ? (
          <Button size="sm" variant="danger" isBusy={isStopping} reason={reason} onClick={onStop}>
            <CircleStop aria-hidden />
            {isStopping ? 'Stopping…' : 'Stop'}
          </Button>
        ) : (
          <Button size="sm" type="submit" variant="primary" isBusy={isSending} reason={reason}>
            <SendHorizontal aria-hidden />
            Send
          </Button>
        )}
      </div>
    </form>
  )
}
