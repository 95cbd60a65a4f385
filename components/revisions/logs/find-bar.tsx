import { ChevronDown, ChevronUp } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'

type Props = {
  value: string
  onChange: (value: string) => void
  /** "3 of 17". */
  summary: string
  hasHits: boolean
  onStep: (step: 1 | -1) => void
}

/** Finds text without hiding other lines. Enter goes to the next match, Shift+Enter to the previous one. */
export const FindBar = ({ value, onChange, summary, hasHits, onStep }: Props) => (
  <span className="flex items-center gap-1">
    <Input
      type="search"
      aria-label="Find in log"
      placeholder="Find"
      className="h-8 w-36"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        onStep(event.shiftKey ? -1 : 1)
      }}
    />
    <Button variant="ghost" size="icon" aria-label="Previous match" disabled={!hasHits} onClick={() => onStep(-1)}>
      <ChevronUp aria-hidden />
    </Button>
    <Button variant="ghost" size="icon" aria-label="Next match" disabled={!hasHits} onClick={() => onStep(1)}>
      <ChevronDown aria-hidden />
    </Button>
    <span aria-live="polite" className="min-w-14 whitespace-nowrap text-ink-3 text-xs tabular-nums">
      {summary}
    </span>
  </span>
)
