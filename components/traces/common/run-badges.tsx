import { Binary, Bot, Boxes, Database, type LucideIcon, MessageSquareText, ScanText, Wrench } from 'lucide-react'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import type { RunRowStatus } from '@/lib/contracts/agents/run-row'
import { entryOf } from '@/lib/json/guards'
import { rowStatus } from '@/lib/stream/run-status'
import { STATUS_LABELS } from './list-query'

const ICONS: Record<string, LucideIcon> = {
  llm: Bot,
  tool: Wrench,
  retriever: Database,
  embedding: Binary,
  prompt: MessageSquareText,
  parser: ScanText,
}

/** An icon for the type of a run, with its name for screen readers. */
export function TypeMark({ type }: { type: string }) {
  const Icon = entryOf(ICONS, type) ?? Boxes
  return <Icon aria-hidden className={`size-3.5 shrink-0 ${type === 'llm' ? 'text-accent' : 'text-ink-3'}`} />
}

const TONES: Record<string, Tone> = {
  ...{ success: 'ok', error: 'error', pending: 'progress', cancelled: 'warn', interrupted: 'warn' },
}

const LOST = { tone: 'unknown', label: 'Unknown', detail: 'Its end was not logged. It may have been killed.' } as const

type StatusProps = {
  status: string
  /** The status of the agent server's run, which a trace's root stands for. */
  run?: RunRowStatus
  /** It has no end, and nobody says that it still runs. */
  isLost?: boolean
  title?: string
}

/** The status of a logged run. An unknown one is shown as the server sent it. */
export function RunStatus({ status, run, isLost, title }: StatusProps) {
  const isUnknown = isLost && status === 'pending' && (run === undefined || run === 'unknown')
  const known = isUnknown ? LOST : run === undefined ? undefined : rowStatus(run)
  return (
    <StatusBadge tone={known?.tone ?? entryOf(TONES, status) ?? 'unknown'} title={title ?? known?.detail}>
      {known?.label ?? entryOf(STATUS_LABELS, status) ?? status}
    </StatusBadge>
  )
}
