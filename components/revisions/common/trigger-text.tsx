import { GitCommitHorizontal, User } from 'lucide-react'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Trigger } from './trigger'

/** Who or what made a revision; how that is known, on hover. */
export function TriggerText({ trigger }: { trigger: Trigger }) {
  if (trigger.kind === 'unknown')
    return (
      <span title={trigger.note} className="text-ink-3">
        not known
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
