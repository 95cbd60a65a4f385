import { CopyButton } from '@/components/ui/copy-button'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format/format'

/** A shortened id; the full id is in the tooltip and copied by the button. `what` names it: "thread id". */
export const IdChip = ({
  id,
  what,
  isWhole,
  className,
}: {
  id: string
  what: string
  isWhole?: boolean
  className?: string
}) => (
  <span className={cn('inline-flex max-w-full items-center gap-1 font-mono text-xs', className)}>
    <span title={id} className="truncate">
      {isWhole ? id : shortId(id)}
    </span>
    <CopyButton value={id} what={what} />
  </span>
)
