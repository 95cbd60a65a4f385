'use client'

import { useLayoutEffect, useRef, useState } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { hasHidden } from '@/lib/format/hidden-characters'
import { useLoaded } from './use-loaded'

const LONGEST = 4_000

const loadTypesetter = () => import('./typeset')

/** A formula: its source until it is typeset, and for good if it cannot be. */
export function Formula({ source, isBlock }: { source: string; isBlock: boolean }) {
  const isWanted = source.length <= LONGEST && !hasHidden(source)
  const typesetter = useLoaded(loadTypesetter, isWanted)
  const place = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string>()
  useLayoutEffect(() => {
    if (typesetter && place.current) setDrawn(typesetter.typeset(source, place.current, isBlock) ? source : undefined)
  }, [typesetter, source, isBlock])
  return (
    <span dir="ltr" className={cn(isBlock && 'my-1 block max-w-full overflow-x-auto overflow-y-hidden')}>
      {/* KaTeX owns the content of this element. */}
      <span ref={place} className={cn('whitespace-normal', drawn !== source && 'hidden')} />
      {drawn === source ? null : (
        <code className="whitespace-pre-wrap font-mono text-[0.9em] text-ink-2">
          <VisibleText>{source}</VisibleText>
        </code>
      )}
    </span>
  )
}
