import { Skeleton } from '@/components/ui/loading'

/** The layout of most pages: a title, a row of filters, a table. */
export const PageSkeleton = () => (
  <div role="status" aria-label="Loading">
    <Skeleton className="mt-1 mb-5 h-5 w-40" />
    <Skeleton className="mb-3 h-8 w-72 max-w-full rounded-md" />
    <div className="overflow-hidden rounded-lg border bg-panel">
      <div className="h-8 border-b bg-sunken" />
      {['w-1/4', 'w-1/3', 'w-1/5', 'w-2/5', 'w-1/6'].map((width) => (
        <div key={width} className="flex h-10 items-center gap-6 border-b px-3 last:border-b-0">
          <Skeleton className={width} />
          <Skeleton className="w-20" />
        </div>
      ))}
    </div>
  </div>
)
