'use client'
import { useSyncExternalStore } from 'react'
import { withBasePath } from '@/lib/base-path'
import { isLoopbackName } from '@/lib/format/loopback'
import { useReasons } from '../layout/rights'
import { Notice } from './notice'

const GUIDE = '/docs/operate#call-the-agents-from-elsewhere'

const subscribe = () => () => {}

const WHERE = 'This address only works on the machine or in the container that runs Pilothouse.'

/**
 * Says that an agent server's loopback address does not work for this reader. A console behind a tunnel, which a browser
 * reaches as localhost, cannot be told from one on the reader's machine.
 */
export function LoopbackNotice({ url }: { url: string }) {
  if (!useIsUnreachable(url)) return null
  return (
    <div className="my-2">
      <Notice tone="warn">
        {WHERE}{' '}
        <a href={withBasePath(GUIDE)} target="_blank" rel="noreferrer" className="text-accent underline">
          Call the agents from elsewhere
        </a>
      </Notice>
    </div>
  )
}

/** The same where there is room for two words only. */
export function LoopbackMark({ url }: { url: string }) {
  if (!useIsUnreachable(url)) return null
  return (
    <a
      href={withBasePath(GUIDE)}
      target="_blank"
      rel="noreferrer"
      title={WHERE}
      className="shrink-0 whitespace-nowrap text-warn underline"
    >
      Local only
    </a>
  )
}

function useIsUnreachable(url: string): boolean {
  const { isInContainer } = useReasons()
  const isElsewhere = useSyncExternalStore(
    subscribe,
    () => !isLoopbackName(window.location.hostname),
    () => false,
  )
  return (isInContainer || isElsewhere) && URL.canParse(url) && isLoopbackName(new URL(url).hostname)
}
