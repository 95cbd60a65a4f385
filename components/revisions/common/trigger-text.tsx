import { GitCommitHorizontal, User } from 'lucide-react'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Trigger } from './trigger'

/** Who or what created a revision. The tooltip says how that is known. */
export function TriggerText({ trigger }: { trigger: Trigger }) {
  if (trigger.kind === 'unknown')
    return (
      <span title={trigger.note} className="text-ink-3">
        unknown
      </span>
    )
  const Icon = trigger.kind === 'push' ? GitCommitHorizontal : User
  return (
    <span title={trigger.note} className="flex min-w-0 items-center gap-1.5 text-ink-2">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="truncate">
        <VisibleText>{trigger.kind === 'push' ? 'Push' : trigger.who}</VisibleText>
      </span>
    </span>
  )
}
