'use client'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { Button } from '@/components/ui/button'
import { rememberInBrowser, TOUR_COOKIE } from './places'

const Tour = dynamic(() => import('./tour').then((module) => module.Tour), { ssr: false })

/** Offers the tour once per browser. The server reads the cookie, so nothing moves when the page has loaded. */
export function TourOffer() {
  const [state, setState] = useState<'offered' | 'running' | 'done'>('offered')
  function remember(next: 'running' | 'done') {
    rememberInBrowser(TOUR_COOKIE)
    setState(next)
  }
  function end() {
    setState('done')
    document.getElementById('main')?.focus()
  }
  if (state === 'done') return null
  if (state === 'running') return <Tour onEnd={end} />
  return (
    <Notice onDismiss={() => remember('done')}>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        New here? Five places to know, in half a minute.
        <Button size="sm" onClick={() => remember('running')}>
          Show me around
        </Button>
      </span>
    </Notice>
  )
}
