import { VisibleText } from '@/components/shared/text/visible-text'
import { count } from '@/lib/format/format'
import type { Flaw } from '@/lib/traces/blocks/message'

/** The first format errors by path, and how many more there are. */
export const FlawList = ({ flaws, limit, label }: { flaws: readonly Flaw[]; limit: number; label?: string }) => (
  <ul aria-label={label} className="mt-1.5 space-y-1 text-xs">
    {flaws.slice(0, limit).map(({ path, reason }) => (
      <li key={`${path} ${reason}`} className="break-words">
        <code className="font-mono">
          <VisibleText>{path}</VisibleText>
        </code>{' '}
        <VisibleText>{reason}</VisibleText>
      </li>
    ))}
    {flaws.length > limit ? <li>and {count(flaws.length - limit)} more</li> : null}
  </ul>
)
