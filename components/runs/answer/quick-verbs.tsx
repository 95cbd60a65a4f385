'use client'
import { useEffect, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import type { Ask, Verb } from '@/lib/stream/answers'
import { hasActions } from './answer-draft'

const KEYS: readonly { verb: Verb; key: string; label: string }[] = [
  { verb: 'approve', key: 'A', label: 'Approve' },
  { verb: 'edit', key: 'E', label: 'Edit' },
  { verb: 'reject', key: 'R', label: 'Reject…' },
]

/** Where a letter is typed. */
const TYPING = 'input:not([type=radio]), textarea, select, [contenteditable="true"]'
/** Where a letter finds an entry, or is for what is open above the page. */
const ELSEWHERE = '[role="menu"], [role="listbox"], [role="dialog"], [role="alertdialog"]'

type Props = { ask: Ask; isBusy: boolean; reason: string | undefined; onVerb: (verb: Verb) => void }

/** One key per decision on what the graph wants to do, where all its actions allow it. */
export function QuickVerbs({ ask, isBusy, reason, onVerb }: Props) {
  const offered = hasActions(ask)
    ? KEYS.filter(({ verb }) => ask.actions.every(({ verbs }) => verbs.includes(verb)))
    : []
  const row = useRef<HTMLDivElement>(null)
  const press = useRef<(key: string) => boolean>(() => false)
  press.current = (key) => {
    const found = offered.find((one) => one.key === key.toUpperCase())
    if (!found || isBusy || reason) return false
    onVerb(found.verb)
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
  if (offered.length === 0) return null
  return (
    <div ref={row} className="flex flex-wrap gap-2">
      {offered.map(({ verb, key, label }) => (
        <Button
          key={verb}
          size="sm"
          variant={verb === 'approve' ? 'primary' : 'secondary'}
          isBusy={isBusy && verb === 'approve'}
          reason={reason}
          aria-keyshortcuts={key}
          onClick={() => onVerb(verb)}
        >
          {label}
          <Kbd>{key}</Kbd>
        </Button>
      ))}
    </div>
  )
}
