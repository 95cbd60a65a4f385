'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useMemo } from 'react'
import { EmptyState } from '@/components/shared/empty-state'
import { ErrorNotice } from '@/components/shared/error-notice'
import { NotOffered } from '@/components/shared/not-offered'
import { useLocalParam } from '@/components/shared/use-local-param'
import { VisibleText } from '@/components/shared/visible-text'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { answersTo, exchangesOf } from '@/lib/contracts/exchange'
import { type McpTool, mcpServer, toolsOf } from '@/lib/contracts/mcp'
import { type AgentPlace, toolsQuery } from '@/lib/queries/protocols'
import { Endpoint, useSaidMissing } from './endpoint'
import { ExchangeView } from './exchange-view'
import { RpcErrorNotice } from './rpc-error-notice'
import { mcpSnippets } from './snippets'
import type { ToolViews } from './tool-console'

const ToolConsole = dynamic(() => import('./tool-console').then((module) => module.ToolConsole), {
  ssr: false,
  loading: () => <Skeleton className="h-64" />,
})

/** A deployment as a server of the Model Context Protocol: where it is, its tools, and a console that calls them. */
export function McpPage({ place, views }: { place: AgentPlace; views: ToolViews }) {
  const missing = useSaidMissing(place, 'mcp')
  const [open, setOpen] = useLocalParam('tool')
  const query = toolsQuery(place)
  const { data } = useQuery({ ...query, enabled: !missing })
  const client = useQueryClient()
  const { exchanges, error, refusal, tools, server } = useMemo(() => readList(data ?? []), [data])
  if (missing || error?.code === 'unsupported')
    return <NotOffered what="MCP" reason={missing ?? error?.message ?? ''} />
  const tool = tools.find((one) => one.name === open)
  const retry = () => void client.resetQueries({ queryKey: query.queryKey })
  return (
    <div className="space-y-4">
      <Endpoint place={place} path="/mcp/" snippets={mcpSnippets}>
        {server ? <p className="text-ink-3 text-xs">{server}</p> : null}
      </Endpoint>
      {error ? <ErrorNotice error={error} onRetry={retry} /> : null}
      {refusal ? <RpcErrorNotice error={refusal} /> : null}
      {error || refusal ? <ExchangeView exchanges={exchanges} /> : null}
      {data ? (
        (error || refusal) && tools.length === 0 ? null : (
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(14rem,20rem)_minmax(0,1fr)]">
            <ToolList tools={tools} current={tool?.name} onOpen={setOpen} />
            {tool ? (
              <ToolConsole key={tool.name} place={place} tool={tool} views={views} />
            ) : tools.length > 0 ? (
              <div className="rounded-lg border bg-panel max-lg:hidden">
                <EmptyState title="Choose a tool">Its arguments are shown here, and it can be called.</EmptyState>
              </div>
            ) : null}
          </div>
        )
      ) : (
        <Skeleton className="h-64" />
      )}
    </div>
  )
}

function readList(entries: Parameters<typeof exchangesOf>[0]) {
  const { exchanges, error } = exchangesOf(entries)
  const results = (method: string) =>
    answersTo(exchanges, method).flatMap((answer) => ('result' in answer ? [answer.result] : []))
  const refusal = answersTo(exchanges, 'tools/list').find((answer) => 'error' in answer)
  const { name, version, protocol } = mcpServer(results('initialize')[0])
  const words = [name && `${name}${version ? ` ${version}` : ''}`, protocol && `protocol ${protocol}`]
  return {
    exchanges,
    tools: toolsOf(results('tools/list')),
    server: words.filter(Boolean).join(', '),
    error,
    refusal: refusal && 'error' in refusal ? refusal.error : undefined,
  }
}

type ListProps = { tools: readonly McpTool[]; current: string | undefined; onOpen: (name: string) => void }

const ToolList = ({ tools, current, onOpen }: ListProps) => (
  <section aria-label="Tools" className="min-w-0 overflow-hidden rounded-lg border bg-panel">
    <h2 className="border-b px-3 py-2 font-semibold text-sm">Tools</h2>
    {tools.length === 0 ? (
      <EmptyState title="The server has no tools" />
    ) : (
      <ul className="max-h-[32rem] divide-y overflow-y-auto">
        {tools.map(({ name, title, description }) => (
          <li key={name}>
            <button
              type="button"
              aria-current={name === current || undefined}
              className={cn('block w-full px-3 py-2 text-left hover:bg-hover', name === current && 'bg-accent-soft')}
              onClick={() => onOpen(name)}
            >
              <span className="block break-words font-medium text-sm">
                <VisibleText>{title ?? name}</VisibleText>
              </span>
              {title && title !== name ? (
                <code className="block break-all font-mono text-ink-3 text-xs">
                  <VisibleText>{name}</VisibleText>
                </code>
              ) : null}
              {description ? (
                <span className="line-clamp-2 block break-words text-ink-2 text-xs">
                  <VisibleText>{description.slice(0, 400)}</VisibleText>
                </span>
              ) : null}
            </button>
          </li>
        ))}
      </ul>
    )}
  </section>
)
