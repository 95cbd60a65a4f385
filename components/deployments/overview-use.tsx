'use client'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { KEY_VARIABLE } from '@/lib/snippet'
import { Panel } from './panel'
import { SNIPPETS, type SnippetKind, snippet } from './snippets'

type Props = {
  url: string | null | undefined
  /** A graph to start with; a placeholder where none is known. */
  graph: string | undefined
  /** Asks for no key, so that a browser can open its pages. */
  isOpen: boolean
}

/** How to reach the agent server from one's own program. */
export function OverviewUse({ url, graph, isOpen }: Props) {
  const [kind, setKind] = useState<SnippetKind>('curl')
  if (!url)
    return (
      <Panel title="Use it">
        <p className="text-ink-2">It has no address yet. It gets one with its first revision.</p>
      </Panel>
    )
  const text = snippet(kind, url, graph ?? 'YOUR_GRAPH')
  const docs = `${url.replace(/\/+$/, '')}/docs`
  return (
    <Panel title="Use it">
      <fieldset aria-label="Language" className="mb-2 flex flex-wrap gap-1">
        {SNIPPETS.map((one) => (
          <Button
            key={one.kind}
            size="sm"
            variant={one.kind === kind ? 'secondary' : 'ghost'}
            aria-pressed={one.kind === kind}
            onClick={() => setKind(one.kind)}
          >
            {one.label}
          </Button>
        ))}
      </fieldset>
      <div className="relative rounded-md border bg-sunken">
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by the keyboard
          tabIndex={0}
          aria-label="Snippet"
          className="mr-10 overflow-x-auto p-3"
        >
          <pre className="font-mono text-xs">{text}</pre>
        </section>
        <CopyButton value={text} what="snippet" className="absolute top-2 right-2" />
      </div>
      <p className="mt-2 text-ink-2 text-xs">
        Put your key into <code className="font-mono">{KEY_VARIABLE}</code>: the console never shows one. Its API
        reference is at{' '}
        {isOpen ? (
          <a href={docs} target="_blank" rel="noreferrer" className="text-accent hover:underline">
            {docs}
          </a>
        ) : (
          <>
            <code className="break-all font-mono">{docs}</code>
            <CopyButton value={docs} what="address of the API reference" className="mx-0.5 align-middle" />, which wants
            the key as well: a browser cannot send it by itself, so open it with a tool that adds the header X-Api-Key.
          </>
        )}
      </p>
    </Panel>
  )
}
