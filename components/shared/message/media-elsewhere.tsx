import { ExternalLink } from 'lucide-react'
import { VisibleText } from '@/components/shared/text/visible-text'

const SHOWN = 500

/**
 * Media on another host, never loaded here. The content security policy blocks other hosts and is not relaxed for logged
 * text, so the user sees the host and decides whether to open it.
 */
export function MediaElsewhere({ kind, address }: { kind: string; address: string }) {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol)
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md border bg-sunken px-2 py-1 text-ink-2 text-xs">
      <span className="min-w-0 break-all">
        A {kind} elsewhere, not loaded:{' '}
        <code className="font-mono">
          <VisibleText>{address.slice(0, SHOWN)}</VisibleText>
        </code>
      </span>
      {isWeb ? (
        <a
          href={url.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="ml-auto inline-flex items-center gap-1 whitespace-nowrap text-accent underline"
        >
          Load from {url.host.slice(0, 100)}
          <ExternalLink aria-hidden className="size-3" />
        </a>
      ) : (
        <span className="text-warn">Not a web address.</span>
      )}
    </p>
  )
}

/** Media stored by its provider under an id. */
export const MediaById = ({ kind, id }: { kind: string; id: string }) => (
  <p className="break-all rounded-md border bg-sunken px-2 py-1 text-ink-2 text-xs">
    A {kind} that the provider keeps as{' '}
    <code className="font-mono">
      <VisibleText>{id.slice(0, SHOWN)}</VisibleText>
    </code>
    ; it cannot be shown here.
  </p>
)
