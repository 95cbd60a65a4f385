import { Binary, Bot, Boxes, Database, type LucideIcon, MessageSquareText, ScanText, Wrench } from 'lucide-react'

const ICONS: Record<string, LucideIcon> = {
  llm: Bot,
  tool: Wrench,
  retriever: Database,
  embedding: Binary,
  prompt: MessageSquareText,
  parser: ScanText,
}

/** What kind of run it is, as a sign; its word stands beside it or is read out. */
export function TypeMark({ type }: { type: string }) {
  const Icon = ICONS[type] ?? Boxes
  return <Icon aria-hidden className={`size-3.5 shrink-0 ${type === 'llm' ? 'text-accent' : 'text-ink-3'}`} />
}
