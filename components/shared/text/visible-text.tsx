import type { ReactNode } from 'react'
import { splitHidden } from '@/lib/format/hidden-characters'

/** Text as text: nothing in it is run, loaded or able to hide. Invisible and reordering characters are shown by name. */
export const VisibleText = ({ children }: { children: string }) => visibleText(children)

/** The same as what it is drawn as, where there are so many that components would count. */
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
