import { Button } from '@/components/ui/button'

/** The rows that this page followed are gone, so paging is no longer exact. */
export const LostNotice = ({ onFirst }: { onFirst: () => void }) => (
  <div role="status" className="mb-3 flex items-center gap-2.5 rounded-md border border-warn/30 bg-warn-soft px-3 py-2">
    <p className="min-w-0 flex-1">This list changed while you were paging. Some rows may be missing or shown twice.</p>
    <Button size="sm" onClick={onFirst}>
      First page
    </Button>
  </div>
)
