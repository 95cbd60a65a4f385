'use client'

/** Behind everything else, and so on every page: it brings nothing along but itself. */
export default function RootError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="mx-auto max-w-xl px-4 py-24">
      <div role="alert" className="rounded-md border border-error bg-error-soft px-3 py-2 text-error text-sm">
        <p>The console could not show this. Try again; if it stays, the reason is in its log.</p>
        {error.digest ? <p className="mt-1 font-mono text-xs">{error.digest}</p> : null}
        <button type="button" className="mt-2 underline" onClick={reset}>
          Try again
        </button>
      </div>
    </main>
  )
}
