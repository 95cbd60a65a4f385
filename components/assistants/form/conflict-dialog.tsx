'use client'
import { ConflictView } from '@/components/shared/conflict/conflict-view'
import { LongText } from '@/components/shared/text/long-text'
import { Dialog } from '@/components/ui/dialog'
import type { AssistantDraft } from '@/lib/contracts/agents/assistant-edit'
import { jsonText, pathText } from '@/lib/json/value'
import { mergedDraft, placeName, threeWays } from './draft'

type Props = {
  message: string
  base: AssistantDraft
  mine: AssistantDraft
  theirs: AssistantDraft
  onCancel: () => void
  /** Continues with their draft and my changes on it. */
  onResolve: (draft: AssistantDraft) => void
}

/** My change of an assistant and theirs, key by key. */
export function ConflictDialog({ message, base, mine, theirs, onCancel, onResolve }: Props) {
  const rows = threeWays(base, mine, theirs)
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      title="Someone else changed this assistant"
      className="w-[min(56rem,calc(100vw-2rem))]"
    >
      <ConflictView
        message={message}
        rows={rows.map((row) => ({
          key: placeName(row.path),
          name: pathText(row.path),
          keeps: row.keeps,
          base: <Part value={row.base} />,
          theirs: <Part value={row.theirs} />,
          mine: <Part value={row.mine} />,
        }))}
        onCancel={onCancel}
        onResolve={(keys) => onResolve(mergedDraft(rows, theirs, keys.mine))}
      />
    </Dialog>
  )
}

const Part = ({ value }: { value: unknown }) =>
  value === undefined ? (
    <span className="text-ink-3 text-xs">not set</span>
  ) : (
    <LongText
      text={typeof value === 'string' ? value : jsonText(value)}
      limit={1_000}
      className="max-h-40 font-mono text-xs"
      scrollLabel="Value"
    />
  )
