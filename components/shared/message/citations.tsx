import { ExternalLink, FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { ShownCitation, ShownSource } from './message-types'

const SHOWN = 500

/** A link that the user opens; nothing is loaded. Other addresses than those of the web are text. */
function SourceLink({ url, title }: { url: string | undefined; title: string | undefined }) {
  const address = url !== undefined && URL.canParse(url) ? new URL(url) : undefined
  const isWeb = address !== undefined && /^https?:$/.test(address.protocol)
  const name = (title ?? url ?? 'Source').slice(0, SHOWN)
  if (!isWeb) return <VisibleText>{name}</VisibleText>
  return (
    <a
      href={address.href}
      title={address.href.slice(0, SHOWN)}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="inline-flex items-center gap-1 break-words text-accent underline"
    >
      <VisibleText>{name}</VisibleText>
      {title ? <span className="text-ink-3 no-underline">{address.host.slice(0, 100)}</span> : null}
      <ExternalLink aria-hidden className="size-3 shrink-0" />
    </a>
  )
}

/** What a text cites, numbered, with the quoted words. */
export const CitationList = ({ citations }: { citations: readonly ShownCitation[] }) => (
  <ol aria-label="Citations" className="list-decimal space-y-1 pl-5 text-ink-2 text-xs">
    {citations.map(({ url, title, quote }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: citations never change order
      <li key={index}>
        <SourceLink url={url} title={title} />
        {quote ? (
          <blockquote className="border-line-strong border-l-2 pl-2 text-ink-3">
            <LongText text={quote} />
          </blockquote>
        ) : null}
      </li>
    ))}
  </ol>
)

/** Something found: a web page, or a document with its text and score. */
export const SourceCard = ({ source, children }: { source: ShownSource; children?: ReactNode }) => (
  <section aria-label="Source" className="rounded-md border bg-sunken/60 px-2.5 py-1.5 text-xs">
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <FileText aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <SourceLink url={source.url} title={source.title} />
      {source.score === undefined ? null : (
        <span className="ml-auto text-ink-3 tabular-nums">score {Number(source.score.toPrecision(3))}</span>
      )}
    </p>
    {source.quote ? <LongText text={source.quote} className="mt-1 text-ink-2" /> : null}
    {children ? <div className="mt-1 space-y-1">{children}</div> : null}
  </section>
)
