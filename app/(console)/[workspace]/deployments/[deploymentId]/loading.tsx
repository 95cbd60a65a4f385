import { Skeleton } from '@/components/ui/loading'

/** A row of filters and a list. The deployment's header and tabs stay in place above it. */
export default function Loading() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton className="mb-3 h-8 w-72 max-w-full rounded-md" />
      <div className="overflow-hidden rounded-lg border bg-panel">
        {['w-1/4', 'w-1/3', 'w-1/5', 'w-2/5'].map((width) => (
          <div key={width} className="flex h-11 items-center gap-6 border-b px-3 last:border-b-0">
            <Skeleton className={width} />
            <Skeleton className="w-20" />
          </div>
        ))}
      </div>
    </div>
  )
}
