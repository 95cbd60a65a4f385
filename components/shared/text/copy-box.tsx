'use client'
import { CopyButton } from '@/components/ui/copy-button'

/** A value that is shown whole and can be copied; a click selects all of it. `what` names it for the button. */
export const CopyBox = ({ value, what, autoFocus }: { value: string; what: string; autoFocus?: boolean }) => (
  <p className="flex items-start gap-2 rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
    <span className="min-w-0 flex-1 select-all break-all">{value}</span>
    <CopyButton value={value} what={what} autoFocus={autoFocus} />
  </p>
)
