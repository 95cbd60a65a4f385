import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

type Props = {
  /** The field of the message. */
  field: RefObject<HTMLTextAreaElement | null>
  children: ReactNode
}

/**
 * The open questions of a conversation, above its message. They take the focus from an empty one, so that one key answers, and
 * it has the focus again when they have been answered.
 */
export function QuestionPanel({ field, children }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (document.activeElement === field.current && field.current?.value === '') panel.current?.focus()
    return () => {
      if (document.activeElement === document.body) field.current?.focus()
    }
  }, [field])
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
