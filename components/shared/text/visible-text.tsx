import type { ReactNode } from 'react'
import { shownText, splitHidden } from '@/lib/format/hidden-characters'
/** Untrusted text. Invisible and reordering characters are shown by name. */
export const VisibleText = ({ children }: { children: string }) => visibleText(children)

/** The same without a component, for rows so many that components would be slow. */
export function visibleText(text: string): ReactNode {
  const pieces = splitHidden(text)
  if (pieces.length === 1 && !pieces[0]?.hidden) return text
  let at = 0
  return pieces.map((piece) => {
    const key = at
    at += piece.text.length
    if (!piece.hidden) return piece.text
    return (
      <span
        key={key}
        title="Invisible character"
        className="mx-px rounded-sm border border-current px-0.5 align-baseline font-mono text-[0.75em] opacity-80 select-none"
      >
        {piece.hidden}
      </span>
    )
  })
}

/**
 * A user-given name with the full text in the tooltip. Isolated from the direction of the text around it, with invisible
 * characters shown.
 */
export const VisibleName = ({ children, className }: { children: string; className?: string }) => (
  <bdi title={shownText(children)} className={className}>
    <VisibleText>{children}</VisibleText>
  </bdi>
)
