'use client'
import { Pencil, RotateCw } from 'lucide-react'
import { createContext, type ReactNode, useContext } from 'react'
import { textOf } from '@/components/shared/message/message-types'
import type { RunMessage } from '@/lib/stream/messages'

type Verbs = {
  /** Why nothing can be run now. */
  reason: string | undefined
  onEdit: (message: RunMessage) => void
  onRetry: (message: RunMessage) => void
}

/** The actions on messages now; null if there are none. A context, because a drawn message is not drawn again for its actions. */
export const MessageActions = createContext<Verbs | null>(null)

export const plainText = (message: RunMessage): string => textOf(message as Parameters<typeof textOf>[0])

/** What can be done with a sent message. */
export function MessageVerbs({ message }: { message: RunMessage }) {
  const actions = useContext(MessageActions)
  if (!actions) return null
  const { reason, onEdit, onRetry } = actions
  return (
    <>
      <Verb label="Edit and run again" icon={<Pencil aria-hidden />} reason={reason} onClick={() => onEdit(message)} />
      <Verb label="Run again" icon={<RotateCw aria-hidden />} reason={reason} onClick={() => onRetry(message)} />
    </>
  )
}

const Verb = ({
  label,
  icon,
  reason,
  onClick,
}: {
  label: string
  icon: ReactNode
  reason: string | undefined
  onClick: () => void
}) => (
  <button
    type="button"
    aria-label={label}
    title={reason ?? label}
    aria-disabled={reason ? true : undefined}
    onClick={reason ? undefined : onClick}
    className="inline-flex size-5 items-center justify-center rounded-sm opacity-0 hover:bg-hover hover:text-ink focus-visible:opacity-100 aria-disabled:cursor-not-allowed group-hover:opacity-100 [&_svg]:size-3"
  >
    {icon}
  </button>
)
