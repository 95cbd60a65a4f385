import { CopyButton } from '@/components/ui/copy-button'
import { shownText } from '@/lib/format/hidden-characters'
import { VisibleText } from './visible-text'

/** A text, truncated if there is no room, with a button that copies all of it. */
export const CopiedText = ({ value, what }: { value: string; what: string }) => (
  <span className="flex min-w-0 items-center gap-1">
    <code className="truncate font-mono text-xs" title={shownText(value)}>
      <VisibleText>{value}</VisibleText>
    </code>
    <CopyButton value={value} what={what} />
  </span>
)
