'use client'
import { PageReason } from '@/components/shared/feedback/page-reason'

/** The last resort on every page, so it depends on little else. */
export default function RootError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="mx-auto max-w-xl px-4 py-24">
      <div role="alert" className="rounded-md border border-error bg-error-soft px-3 py-2 text-error text-sm">
        <PageReason digest={error.digest}>
          <p>Something went wrong. Try again. If it keeps failing, see the console’s log.</p>
          {error.digest ? <p className="mt-1 font-mono text-xs">{error.digest}</p> : null}
          <button type="button" className="mt-2 underline" onClick={reset}>
            Try again
          </button>
        </PageReason>
      </div>
    </main>
  )
}
