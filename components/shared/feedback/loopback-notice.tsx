'use client'
import { useSyncExternalStore } from 'react'
import { withBasePath } from '@/lib/base-path'
import { isLoopbackName } from '@/lib/format/loopback'
import { useReasons } from '../layout/rights'
import { Notice } from './notice'

const GUIDE = '/docs/operate#call-the-agents-from-elsewhere'

const subscribe = () => () => {}

/**
 * Says that an agent server's loopback address does not work for this reader. A console behind a tunnel, which a browser
 * reaches as localhost, cannot be told from one on the reader's machine.
 */
export function LoopbackNotice({ url }: { url: string }) {
  const { isInContainer } = useReasons()
  const isElsewhere = useSyncExternalStore(
    subscribe,
    () => !isLoopbackName(window.location.hostname),
    () => false,
  )
  if (!(isInContainer || isElsewhere) || !URL.canParse(url) || !isLoopbackName(new URL(url).hostname)) return null
  return (
    <div className="my-2">
      <Notice tone="warn">
        This address only works on the machine or in the container that runs Pilothouse.{' '}
        <a href={withBasePath(GUIDE)} target="_blank" rel="noreferrer" className="text-accent underline">
          Call the agents from elsewhere
        </a>
      </Notice>
    </div>
  )
}
