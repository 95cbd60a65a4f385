'use client'
import { PageReason } from '@/components/shared/feedback/page-reason'
import { Button } from '@/components/ui/button'

/** Every page of a workspace loads this first, so it is plainer than `ErrorNotice`. */
export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 rounded-md border border-error/30 bg-error-soft px-3 py-2 text-sm"
    >
      <div className="min-w-0 flex-1 break-words">
        <PageReason digest={error.digest}>
          <p>This page could not be loaded. Nothing was changed. See the console’s log for the reason.</p>
          {error.digest ? (
            <p className="mt-1 text-ink-2 text-xs">
              Request <code className="font-mono">{error.digest}</code>
            </p>
          ) : null}
        </PageReason>
      </div>
      <Button size="sm" onClick={reset}>
        Try again
      </Button>
    </div>
  )
}
