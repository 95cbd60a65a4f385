import { AlertTriangle, CheckCircle2, Circle, CircleDashed, XCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { Spinner } from './loading'

export type Tone = 'ok' | 'progress' | 'warn' | 'error' | 'neutral' | 'unknown'

const TONES: Record<Tone, string> = {
  ok: 'text-ok',
  progress: 'text-progress',
  warn: 'text-warn',
  error: 'text-error',
  neutral: 'text-ink-2',
  unknown: 'text-ink-3',
}
const ICONS: Record<Tone, ReactNode> = {
  ok: <CheckCircle2 aria-hidden className="size-3.5" />,
  progress: <Spinner />,
  warn: <AlertTriangle aria-hidden className="size-3.5" />,
  error: <XCircle aria-hidden className="size-3.5" />,
  neutral: <Circle aria-hidden className="size-3.5" />,
  unknown: <CircleDashed aria-hidden className="size-3.5" />,
}

/** A status as icon and text, so that it does not depend on colour. */
export const StatusBadge = ({
  tone,
  children,
  title,
  className,
}: {
  tone: Tone
  children: ReactNode
  title?: string
  className?: string
}) => (
  <span
    title={title}
    className={cn(
      'inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium text-xs [&>svg]:shrink-0',
      TONES[tone],
      className,
    )}
  >
    {ICONS[tone]}
    {children}
  </span>
)

/** A badge without a status, such as a type, count or version. */
export const Badge = ({ children, title, className }: { children: ReactNode; title?: string; className?: string }) => (
  <span
    title={title}
    className={cn(
      'inline-flex items-center rounded-sm border px-1.5 text-2xs base:border-line base:bg-sunken base:text-ink-2',
      className,
    )}
  >
    {children}
  </span>
)
