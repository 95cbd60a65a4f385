import { GitFork } from 'lucide-react'
import { IdChip } from '@/components/shared/text/id-chip'
import { Button } from '@/components/ui/button'

/** Shows that the run starts from an earlier checkpoint, with a button to start from the latest state instead. */
export const CheckpointNotice = ({ id, onDrop }: { id: string; onDrop: () => void }) => (
  <div className="flex items-start gap-2.5 rounded-md border border-accent/40 bg-accent-soft/60 px-3 py-2 text-sm">
    <GitFork aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
    <p className="min-w-0 flex-1">
      Starts from checkpoint <IdChip id={id} what="checkpoint ID" />: a fork, beside which what came after it stays in
      the history. With the input <code className="font-mono text-xs">null</code> the nodes that were next there run
      again.
    </p>
    <Button size="sm" onClick={onDrop}>
      Start from latest state
    </Button>
  </div>
)
