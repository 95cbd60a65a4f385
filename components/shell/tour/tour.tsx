'use client'
import { Popover } from 'radix-ui'
import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { findPlaces } from './places'

/** Shows one place after the other, with a frame around each. Escape ends it. */
export function Tour({ onEnd }: { onEnd: () => void }) {
  const [places] = useState(() => findPlaces(document))
  const [at, setAt] = useState(0)
  const place = places[at]
  const anchor = useRef<{ getBoundingClientRect: () => DOMRect }>({ getBoundingClientRect: () => new DOMRect() })
  const [frame, setFrame] = useState<DOMRect>()

  useEffect(() => {
    if (!place) return onEnd()
    place.element.scrollIntoView({ block: 'nearest' })
    const measure = () => setFrame(place.element.getBoundingClientRect())
    anchor.current = place.element
    measure()
    window.addEventListener('scroll', measure, true)
    window.addEventListener('resize', measure)
    return () => {
      window.removeEventListener('scroll', measure, true)
      window.removeEventListener('resize', measure)
    }
  }, [place, onEnd])

  if (!place || !frame) return null
  const isLast = at === places.length - 1
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onEnd()}>
      <Popover.Anchor virtualRef={anchor} key={place.title} />
      <div
        aria-hidden
        className="pointer-events-none fixed z-40 rounded-md outline-2 outline-accent outline-offset-2"
        style={{ left: frame.left, top: frame.top, width: frame.width, height: frame.height }}
      />
      <Popover.Portal>
        <Popover.Content
          aria-label={place.title}
          key={at}
          sideOffset={10}
          collisionPadding={12}
          onInteractOutside={(event) => event.preventDefault()}
          className="z-50 w-72 max-w-[calc(100vw-24px)] rounded-md border border-line bg-panel p-3 shadow-pop"
        >
          <p className="font-medium">{place.title}</p>
          <p className="mt-1 text-ink-2 text-sm">{place.text}</p>
          <div className="mt-3 flex items-center gap-2">
            <span className="flex-1 text-2xs text-ink-3">
              {at + 1} of {places.length}
            </span>
            {at > 0 ? (
              <Button variant="ghost" size="sm" onClick={() => setAt(at - 1)}>
                Back
              </Button>
            ) : null}
            <Button variant="primary" size="sm" autoFocus onClick={() => (isLast ? onEnd() : setAt(at + 1))}>
              {isLast ? 'Done' : 'Next'}
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
