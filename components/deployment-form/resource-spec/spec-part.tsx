import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { isUnset, prettyJson } from './spec-value'

/** A part of a spec as JSON, or "not set". */
export const SpecPart = ({ value, isGone }: { value: unknown; isGone?: boolean }) =>
  isUnset(value) ? (
    <span className="text-ink-3">not set</span>
  ) : (
    <pre
      className={cn(
        'max-h-48 overflow-auto whitespace-pre-wrap break-all font-mono text-xs',
        isGone && 'text-ink-3 line-through',
      )}
    >
      <VisibleText>{prettyJson(value)}</VisibleText>
    </pre>
  )
