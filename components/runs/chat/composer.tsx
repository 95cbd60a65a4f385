'use client'
import { CircleStop, Paperclip, SendHorizontal } from 'lucide-react'
import {
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from '@/components/ui/button'
import { reportTyped } from '@/components/ui/report-typed'
import { cn } from '@/lib/cn'

type Props = {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  placeholder: string
  text: string
  onText: (text: string) => void
  onSend: () => void
  /** Set while a run is active. Enter still sends a message; other input keeps its button. */
  onStop?: () => void
  isSending: boolean
  isStopping?: boolean
  /** Why nothing can be sent. */
  reason: string | undefined
  autoFocus?: boolean
  /** Takes files that are pasted, dropped or chosen; `whyNot` tells why this graph takes none. */
  onFiles?: (files: readonly File[]) => void
  whyNoFiles?: string
  /** The files so far, above the message. */
  chips?: ReactNode
  /** Other input in place of the message. */
  children?: ReactNode
  /** What stands left of the Send button, in one line. */
  tools?: ReactNode
}

/** The field for a message. Enter sends, Shift+Enter starts a new line, and the focus stays. */
export function Composer(props: Props) {
  const { field, label, placeholder, text, onText, onSend, onStop, isSending, isStopping, reason } = props
  const { autoFocus, onFiles, whyNoFiles, chips, children, tools } = props
  const picker = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => reportTyped(field.current), [field])
  const [isOver, setOver] = useState(false)
  const takes = onFiles && !whyNoFiles && !children ? onFiles : undefined
  const give = (files: FileList | null) => {
    const given = [...(files ?? [])]
    if (!takes || given.length === 0) return false
    takes(given)
    field.current?.focus()
    return true
  }
  const onDrag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault() // or the browser would open the file in place of the page
    setOver(takes !== undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (!reason) onSend()
  }
  return (
    <form
      data-enter // so that Enter sends before hydration too
      className={cn(
        '@container mx-auto w-full max-w-4xl rounded-lg border border-line-strong bg-panel p-2 focus-within:border-accent',
        isOver && 'border-accent bg-accent-soft',
      )}
      onDragOver={onDrag}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        give(event.dataTransfer.files)
      }}
      onPaste={(event) => {
        if (give(event.clipboardData.files)) event.preventDefault()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {chips}
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
        <div className="flex min-w-0 flex-1 items-center gap-1 sm:gap-2">
          {onFiles && !children ? (
            <>
              <Button
                size="icon"
                variant="ghost"
                aria-label="Add files"
                title={whyNoFiles ?? 'Add files: choose, paste or drop'}
                reason={whyNoFiles ?? reason}
                onClick={() => picker.current?.click()}
              >
                <Paperclip aria-hidden />
              </Button>
              <input
                ref={picker}
                type="file"
                multiple
                hidden
                aria-label="Files"
                onChange={({ target }) => {
                  give(target.files)
                  target.value = '' // so that the same file can be chosen again
                }}
              />
            </>
          ) : null}
          {tools}
        </div>
        <span className="hidden text-ink-3 text-xs @lg:inline">{children ? null : 'Enter to send'}</span>
        {onStop ? (
          <Button size="sm" variant="danger" className="min-w-17" isBusy={isStopping} reason={reason} onClick={onStop}>
            <CircleStop aria-hidden />
            {isStopping ? 'Stopping…' : 'Stop'}
          </Button>
        ) : null}
        {onStop && !children ? null : (
          <Button size="sm" type="submit" variant="primary" className="min-w-17" isBusy={isSending} reason={reason}>
            <SendHorizontal aria-hidden />
            Send
          </Button>
        )}
      </div>
    </form>
  )
}
