'use client'
import { useEffect, useRef } from 'react'
import { onEarlyKey } from '@/components/shared/list/early-key'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { cn } from '@/lib/cn'
import type { Ask, Verb } from '@/lib/stream/answers'
import { hasActions } from './answer-draft'
import { keyOfChoice } from './choices'

const KEYS: readonly { verb: Verb; key: string; label: string }[] = [
  { verb: 'approve', key: 'A', label: 'Approve' },
  { verb: 'edit', key: 'E', label: 'Edit' },
  { verb: 'reject', key: 'R', label: 'Reject…' },
]

/** Where it is typed. */
const TYPING = 'input:not([type=radio]), textarea, select, [contenteditable="true"]'
/** Where it finds an entry, or is for what is open above the page. */
const ELSEWHERE = '[role="menu"], [role="listbox"], [role="dialog"], [role="alertdialog"]'

type Props = {
  /** The question, as `shownQuestion` has it. */
  shown: string
  ask: Ask
  isBusy: boolean
  reason: string | undefined
  onVerb: (verb: Verb) => void
  onChoice: (choice: string) => void
  /** The form below shows the keys of its choices. */
  hasKeysInForm?: boolean
}

/** One key per decision on what the graph wants to do, where all its actions allow it, or per answer that it offers. */
export function QuickVerbs({ shown, ask, isBusy, reason, onVerb, onChoice, hasKeysInForm }: Props) {
  const offered = hasActions(ask)
    ? KEYS.filter(({ verb }) => ask.actions.every(({ verbs }) => verbs.includes(verb))).map(({ verb, ...one }) => ({
        ...one,
        isPrimary: verb === 'approve',
        onPress: () => onVerb(verb),
      }))
    : ask.kind === 'choice'
      ? ask.options.flatMap((label, at) => {
          const key = keyOfChoice(at)
          return key ? [{ label, key, isPrimary: false, onPress: () => onChoice(label) }] : []
        })
      : []
  const row = useRef<HTMLDivElement>(null)
  const press = useRef<(key: string) => boolean>(() => false)
  press.current = (key) => {
    const found = offered.find((one) => one.key === key.toUpperCase())
    if (!found || isBusy || reason) return false
    found.onPress()
    return true
  }
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      const at = event.target instanceof Element ? event.target : null
      const other = at?.closest(ELSEWHERE)
      if (at?.closest(TYPING) || (other && !other.contains(row.current))) return
      if (press.current(event.key)) event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => onEarlyKey(shown, (key) => press.current(key)), [shown])
  if (offered.length === 0) return null
  return (
    <div ref={row} className={cn('flex flex-wrap gap-2', hasKeysInForm && ask.kind === 'choice' && 'hidden')}>
      {offered.map(({ key, label, isPrimary, onPress }) => (
        <Button
          key={key}
          size="sm"
          variant={isPrimary ? 'primary' : 'secondary'}
          isBusy={isBusy && isPrimary}
          reason={reason}
          aria-keyshortcuts={key}
          className="max-w-full"
          onClick={onPress}
        >
          <span className="truncate" title={label}>
            <VisibleText>{label}</VisibleText>
          </span>
          <Kbd>{key}</Kbd>
        </Button>
      ))}
    </div>
  )
}
