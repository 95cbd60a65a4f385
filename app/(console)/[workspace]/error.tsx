'use client'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'

export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <ErrorNotice
      error={{
        message: 'This page could not be shown. Nothing was changed or lost; the reason is in the console’s log.',
        requestId: error.digest ?? '',
      }}
      onRetry={reset}
    />
  )
}
