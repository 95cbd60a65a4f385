'use client'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'

export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <ErrorNotice
      error={{
        message: 'This page could not be loaded. Nothing was changed. See the console’s log for the reason.',
        requestId: error.digest ?? '',
      }}
      onRetry={reset}
    />
  )
}
