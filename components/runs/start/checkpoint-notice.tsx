import { GitFork } from 'lucide-react'
import { IdChip } from '@/components/shared/text/id-chip'
import { Button } from '@/components/ui/button'

/** Shows that the run starts from an earlier checkpoint, with a button to start from the latest state instead. */
export const CheckpointNotice = ({ id, onDrop }: { id: string; onDrop: () => void }) => (
  <div className="flex items-start gap-2.5 rounded-md border border-accent/40 bg-accent-soft/60 px-3 py-2 text-sm">
    <GitFork aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
    <p className="min-w-0 flex-1">
      Forks the thread at checkpoint <IdChip id={id} what="checkpoint ID" />. Later checkpoints stay in the history. The
      input <code className="font-mono text-xs">null</code> runs the nodes that were next at this checkpoint.
    </p>
    <Button size="sm" onClick={onDrop}>
      Start from latest state
    </Button>
  </div>
)
