'use client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { VisibleText } from '@/components/shared/visible-text'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Skeleton } from '@/components/ui/skeleton'
import { deploymentQuery } from '@/lib/queries/deployments'
import type { AgentPlace } from '@/lib/queries/protocols'
import { infoQuery } from '@/lib/queries/system'
import { KEY_VARIABLE } from '@/lib/snippet'
import type { Snippet } from './snippets'

type Props = {
  place: AgentPlace
  /** Below the deployment's address. */
  path: string
  snippets: (url: string) => Snippet[]
  children?: ReactNode
}

/** Where a protocol is spoken, and how to speak it from elsewhere: with a key that the console never shows. */
export function Endpoint({ place, path, snippets, children }: Props) {
  const { data } = useQuery(deploymentQuery(place.workspace, place.deployment))
  const [chosen, setChosen] = useState(0)
  const base = data?.source_config?.custom_url?.replace(/\/+$/, '')
  const url = base && base + path
  const all = url ? snippets(url) : []
  const text = all[chosen]?.text ?? ''
  return (
    <section aria-label="Endpoint" className="min-w-0 rounded-lg border bg-panel p-4">
      <h2 className="mb-1 font-semibold text-sm">Endpoint</h2>
      {url ? (
        <>
          <p className="flex min-w-0 items-center gap-1">
            <code className="min-w-0 break-all font-mono text-xs">
              <VisibleText>{url}</VisibleText>
            </code>
            <CopyButton value={url} what="endpoint" />
          </p>
          {children}
          <details className="mt-2">
            <summary className="text-ink-2 text-xs">Use it from elsewhere</summary>
            <fieldset aria-label="Kind of snippet" className="my-2 flex flex-wrap gap-1">
              {all.map(({ label }, index) => (
                <Button
                  key={label}
                  size="sm"
                  variant={index === chosen ? 'secondary' : 'ghost'}
                  aria-pressed={index === chosen}
                  onClick={() => setChosen(index)}
                >
                  {label}
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
              Put your key into <code className="font-mono">{KEY_VARIABLE}</code>: the console never shows one.
            </p>
          </details>
        </>
      ) : data ? (
        <p className="text-ink-2">It has no address yet. It gets one with its first revision.</p>
      ) : (
        <Skeleton className="h-5 w-80 max-w-full" />
      )}
    </section>
  )
}

/** Why a server has no such protocol, as far as it says so itself; undefined where it says nothing. */
export function useSaidMissing({ workspace, deployment }: AgentPlace, flag: 'mcp' | 'a2a'): string | undefined {
  const { data } = useQuery({ ...infoQuery(workspace, deployment), retry: false })
  if (data?.flags[flag] !== false) return undefined
  return `This agent server says that it does not offer ${flag === 'mcp' ? 'MCP' : 'agent-to-agent'} endpoints.`
}
