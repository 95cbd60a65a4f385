'use client'
import { ErrorNotice } from '@/components/shared/error-notice'

export default function RootError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="mx-auto max-w-xl px-4 py-24">
      <ErrorNotice
        error={{
          message: 'The console could not show this. Try again; if it stays, the reason is in its log.',
          requestId: error.digest ?? '',
        }}
        onRetry={reset}
      />
    </main>
  )
}
