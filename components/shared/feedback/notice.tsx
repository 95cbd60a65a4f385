import { AlertTriangle, CheckCircle2, Info, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'

const TONES = {
  note: { box: 'bg-sunken', icon: <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" /> },
  ok: { box: 'border-ok/30 bg-ok-soft', icon: <CheckCircle2 aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" /> },
  warn: {
    box: 'border-warn/30 bg-warn-soft',
    icon: <AlertTriangle aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />,
  },
}

type NoticeProps = { tone?: keyof typeof TONES; onDismiss?: () => void; onRetry?: () => void; children: ReactNode }

/** A notice that is not an error. Screen readers announce it when it appears. */
export const Notice = ({ tone = 'note', onDismiss, onRetry, children }: NoticeProps) => (
  <div role="status" className={cn('flex items-start gap-2.5 rounded-md border px-3 py-2 text-sm', TONES[tone].box)}>
    {TONES[tone].icon}
    <div className="min-w-0 flex-1 break-words">{children}</div>
    {onRetry ? (
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    ) : null}
    {onDismiss ? (
      <Button variant="ghost" size="icon" aria-label="Dismiss" onClick={onDismiss}>
        <X aria-hidden />
      </Button>
    ) : null}
  </div>
)
