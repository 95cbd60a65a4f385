import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

type Props = {
  /** The field of the message. */
  field: RefObject<HTMLTextAreaElement | null>
  /** Takes the focus from an empty message, so that one key answers. */
  takesFocus?: boolean
  children: ReactNode
}

/** The open questions of a conversation, above its message, which has the focus again when they have been answered. */
export function QuestionPanel({ field, takesFocus, children }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus && document.activeElement === field.current && field.current?.value === '') panel.current?.focus()
    return () => {
      if (document.activeElement === document.body) field.current?.focus()
    }
  }, [field, takesFocus])
  return (
    <div
      ref={panel}
      tabIndex={-1}
      className="relative mx-auto max-h-[60%] w-full max-w-4xl overflow-y-auto rounded-lg px-3 pt-2 focus-visible:-outline-offset-2"
    >
      {children}
    </div>
  )
}
