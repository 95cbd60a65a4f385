'use client'

import { useMemo } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CopyButton } from '@/components/ui/copy-button'
import { useLoaded } from './use-loaded'

/** Colours for longer code would freeze the page. */
const LONGEST = 12_000

const loadHighlighter = () => import('./highlight')

type Props = { code: string; language: string; isOpen: boolean }

/** Code with a copy button. Colours come with the highlighter, once the code is complete. */
export function CodeBlock({ code, language, isOpen }: Props) {
  const isWanted = !isOpen && language !== '' && code.length <= LONGEST
  const highlighter = useLoaded(loadHighlighter, isWanted)
  const coloured = useMemo(
    () => (isWanted ? highlighter?.highlighted(code, language) : undefined),
    [isWanted, highlighter, code, language],
  )
  return (
    <div dir="ltr" className="rounded-md border bg-sunken font-mono text-xs">
      <div className="flex min-h-6 items-center justify-between border-b ps-2.5 pe-1 text-2xs text-ink-3">
        <span className="truncate">
          <VisibleText>{language.slice(0, 40) || 'text'}</VisibleText>
        </span>
        <CopyButton value={code} what="code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto whitespace-pre px-2.5 py-1.5">
        <code>{coloured ?? <VisibleText>{code}</VisibleText>}</code>
      </pre>
    </div>
  )
}
