'use client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { AlertTriangle } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { cn } from '@/lib/cn'
import type { ErrorView } from '@/lib/errors'
import { routes } from '@/lib/routes'
import { SignInAgain } from './sign-in-again'

type ErrorNoticeProps = {
  error: Pick<ErrorView, 'message'> & Partial<ErrorView>
  /** Set if a retry is safe. */
  onRetry?: () => void
  className?: string
}

/** One error, next to its cause: what happened, what to do, and the request id for the logs. */
export function ErrorNotice({ error, onRetry, className }: ErrorNoticeProps) {
  // A single field error often repeats the message.
  const fields = (error.fields ?? []).filter((field) => !error.message.includes(field.message))
  return (
    <div
      role="alert"
      className={cn(
        'flex flex-wrap items-start gap-2.5 rounded-md border border-error/30 bg-error-soft px-3 py-2 text-sm',
        className,
      )}
    >
      <AlertTriangle aria-hidden className="mt-0.5 size-4 shrink-0 text-error" />
      {/* In a narrow column the button goes below. */}
      <div className="min-w-0 flex-1 basis-36 break-words">
        <p className="text-ink">{error.message}</p>
        {fields.length > 0 ? (
          <ul className="mt-1 text-ink-2 text-xs">
            {fields.map((field) => (
              <li key={`${field.path.join('.')} ${field.message}`}>
                {field.path.length > 0 ? <code className="font-mono">{field.path.join('.')}</code> : null}{' '}
                {field.message}
              </li>
            ))}
          </ul>
        ) : null}
        {error.requestId ? (
          <p className="mt-1 flex items-center gap-1 text-ink-2 text-xs">
            Request <code className="min-w-0 break-all font-mono">{error.requestId}</code>
            <CopyButton value={error.requestId} what="request id" />
          </p>
        ) : null}
      </div>
      {error.code === 'upstream_refused_key' ? <ToSettings /> : null}
      {error.code === 'unauthenticated' ? (
        <SignInAgain />
      ) : onRetry ? (
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      ) : null}
    </div>
  )
}

/** The page to change the workspace's key. The workspace is the first segment of the current path. */
function ToSettings() {
  const workspace = usePathname()?.split('/')[1]
  if (!workspace) return null
  return (
    <Button asChild size="sm">
      <Link href={routes.settings(decodeURIComponent(workspace))}>Open settings</Link>
    </Button>
  )
}

/**
 * Refetches at once. `refetch` alone waits for the current attempt, which takes half a minute if a server hangs, and the
 * button would seem to do nothing.
 */
export function useTryAgain(queryKey: QueryKey): () => void {
  const client = useQueryClient()
  const one = { queryKey, exact: true }
  return () => void client.cancelQueries(one).then(() => client.refetchQueries(one))
}
