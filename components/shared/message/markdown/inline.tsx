import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { SafeImage, safeImageUrl } from '@/components/shared/text/safe-image'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Formula } from './formula'
import { type FootnoteRefToken, type MathToken, safeLink } from './markdown-model'

/** The formatted pieces of a paragraph. */
export const Inline = ({ tokens }: { tokens: readonly Token[] | undefined }) =>
  tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a paragraph that changes is read again as a whole
    <Piece key={index} token={token} />
  ))

function Piece({ token }: { token: Token }) {
  switch (token.type) {
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} /> : <VisibleText>{token.text}</VisibleText>
    case 'escape':
      return <VisibleText>{token.text}</VisibleText>
    case 'br':
      return '\n'
    case 'codespan':
      return (
        <code className="rounded-sm bg-sunken px-1 font-mono text-[0.9em]">
          <VisibleText>{token.text}</VisibleText>
        </code>
      )
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <s>
          <Inline tokens={token.tokens} />
        </s>
      )
    case 'link':
      return <Link link={token as Tokens.Link} />
    case 'image': {
      const inline = safeImageUrl(token.href)
      if (inline) return <SafeImage url={inline} alt={token.text || 'Picture in this message'} className="max-h-96" />
      return (
        <span className="text-ink-2">
          [picture, not loaded:{' '}
          <SafeLink url={token.href} raw={token.raw}>
            <VisibleText>{token.text || 'open'}</VisibleText>
          </SafeLink>
          ]
        </span>
      )
    }
    case 'math': {
      const math = token as MathToken
      return <Formula source={math.text} isBlock={math.isBlock} />
    }
    case 'footnoteRef':
      return <FootnoteMark label={(token as FootnoteRefToken).label} />
    default:
      return <VisibleText>{token.raw}</VisibleText>
  }
}

const Link = ({ link }: { link: Tokens.Link }) => (
  <SafeLink url={link.href} raw={link.raw}>
    <Inline tokens={link.tokens} />
  </SafeLink>
)

/** A link followed by its host, whatever its text says. Unsafe links stay as written. */
function SafeLink({ url, raw, children }: { url: string; raw: string; children: ReactNode }) {
  const safe = safeLink(url)
  if (!safe)
    return (
      <span>
        <VisibleText>{raw.length > 300 ? `${raw.slice(0, 300)}…` : raw}</VisibleText>
      </span>
    )
  return (
    <span>
      <a href={safe.href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {children || safe.host}
      </a>{' '}
      <span dir="ltr" className="text-ink-3 text-xs">
        ({safe.host})
      </span>
    </span>
  )
}

export const FOOTNOTE = 'data-footnote'
export const MARKDOWN = 'data-markdown'

/** Leads to its footnote. Footnotes have no ids, because a message must not name parts of the page. */
const FootnoteMark = ({ label }: { label: string }) => (
  <sup>
    <button
      type="button"
      className="text-accent underline"
      aria-label={`Footnote ${label}`}
      onClick={({ currentTarget }) => {
        const notes = currentTarget.closest(`[${MARKDOWN}]`)?.querySelectorAll<HTMLElement>(`[${FOOTNOTE}]`) ?? []
        ;[...notes].find((each) => each.getAttribute(FOOTNOTE) === label)?.focus()
      }}
    >
      <VisibleText>{label}</VisibleText>
    </button>
  </sup>
)
