'use client'
import { Suspense, use } from 'react'
import { LoopbackNotice } from '@/components/shared/feedback/loopback-notice'
import { Panel } from '@/components/shared/layout/panel'
import { Snippets } from '@/components/shared/layout/snippets'
import { CopyButton } from '@/components/ui/copy-button'
import type { Offered } from './overview-agent'
import { SNIPPETS, snippet } from './snippets'

type Props = {
  url: string | null | undefined
  /** A graph for the example; a placeholder if unknown. */
  graph: string | undefined
  /** Whether the server requires no key, so that a browser can open its pages. */
  isOpen: boolean
  offered: Promise<Offered>
}

/** How to call the agent server from code. */
export function OverviewUse({ url, graph, isOpen, offered }: Props) {
  if (!url)
    return (
      <Panel title="Use it">
        <p className="text-ink-2">No address yet. The first revision assigns one.</p>
      </Panel>
    )
  const docs = `${url.replace(/\/+$/, '')}/docs`
  return (
    <Panel title="Use it">
      <LoopbackNotice url={url} />
      <Snippets
        label="Language"
        all={SNIPPETS.map(({ kind, label }) => ({ label, text: snippet(kind, url, graph ?? 'YOUR_GRAPH') }))}
      >
        <Suspense>
          <ApiReference docs={docs} isOpen={isOpen} offered={offered} />
        </Suspense>
      </Snippets>
    </Panel>
  )
}

/** Where the API reference is, for servers that have one. */
function ApiReference({ docs, isOpen, offered }: { docs: string; isOpen: boolean; offered: Promise<Offered> }) {
  if (use(offered)?.find(({ id }) => id === 'docs')?.capability.state !== 'yes') return null
  return (
    <>
      {' '}
      Its API reference is at{' '}
      {isOpen ? (
        <a href={docs} target="_blank" rel="noreferrer" className="text-accent hover:underline">
          {docs}
        </a>
      ) : (
        <>
          <code className="break-all font-mono">{docs}</code>
          <CopyButton value={docs} what="address of the API reference" className="mx-0.5 align-middle" />. It requires
          the X-Api-Key header, which a browser cannot add.
        </>
      )}
    </>
  )
}
