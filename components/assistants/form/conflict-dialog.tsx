'use client'
import { ThreeWays } from '@/components/shared/conflict/three-ways'
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
  /** Goes on with theirs and my changes on it. */
  onDecide: (draft: AssistantDraft) => void
}

/** My change of an assistant and theirs, key by key. */
export function ConflictDialog({ message, base, mine, theirs, onCancel, onDecide }: Props) {
  const rows = threeWays(base, mine, theirs)
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onCancel()
      }}
      title="Somebody else changed this assistant"
      className="base:w-[min(56rem,calc(100vw-2rem))]"
    >
      <ThreeWays
        message={message}
        rows={rows.map((row) => ({
          key: placeName(row.path),
          name: pathText(row.path),
          who: row.who,
          base: <Part value={row.base} />,
          theirs: <Part value={row.theirs} />,
          mine: <Part value={row.mine} />,
        }))}
        onCancel={onCancel}
        onDecide={(kept) => onDecide(mergedDraft(rows, theirs, kept))}
      />
    </Dialog>
  )
}

const Part = ({ value }: { value: unknown }) =>
  value === undefined ? (
    <span className="text-ink-3 text-xs">not there</span>
  ) : (
    <LongText
      text={typeof value === 'string' ? value : jsonText(value)}
      limit={1_000}
      className="max-h-40 overflow-auto font-mono text-xs"
    />
  )
