import { Binary, Bot, Boxes, Database, type LucideIcon, MessageSquareText, ScanText, Wrench } from 'lucide-react'

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
  const Icon = ICONS[type] ?? Boxes
  return <Icon aria-hidden className={`size-3.5 shrink-0 ${type === 'llm' ? 'text-accent' : 'text-ink-3'}`} />
}
