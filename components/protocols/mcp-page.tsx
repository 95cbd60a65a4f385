'use client'
import dynamic from 'next/dynamic'
import { useMemo } from 'react'
import { NotOffered } from '@/components/shared/feedback/empty-state'
import { useLocalParam } from '@/components/shared/layout/use-local-param'
import { Skeleton } from '@/components/ui/loading'
import { Tabs } from '@/components/ui/tabs'
import { type McpServer, toolsOf } from '@/lib/contracts/agents/mcp'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { Endpoint, useUnsupportedReason } from './endpoint'
import { McpListView } from './mcp-list'
import { mcpSnippets } from './snippets'
import type { ToolViews } from './tool-console'
import { useMcpList } from './use-mcp-list'

const loading = () => <Skeleton className="h-64" />
const ToolConsole = dynamic(() => import('./tool-console').then((module) => module.ToolConsole), {
  ssr: false,
  loading,
})
const McpPrompts = dynamic(() => import('./mcp-prompts').then((module) => module.McpPrompts), { ssr: false, loading })
const McpResources = dynamic(() => import('./mcp-resources').then((module) => module.McpResources), {
  ssr: false,
  loading,
})

const KINDS = ['tools', 'prompts', 'resources'] as const
type Kind = (typeof KINDS)[number]
const LABELS: Record<Kind, string> = { tools: 'Tools', prompts: 'Prompts', resources: 'Resources' }

/** A deployment as an MCP server: its endpoint, and consoles for its tools, prompts and resources. */
export function McpPage({ place, views }: { place: DeploymentPlace; views: ToolViews }) {
  const missing = useUnsupportedReason(place, 'mcp')
  const [show, setShow] = useLocalParam('show')
  const [open, setOpen] = useLocalParam('tool')
  const list = useMcpList(place, 'tools', { enabled: !missing })
  const tools = useMemo(() => toolsOf(list.results), [list.results])
  if (missing || list.error?.code === 'unsupported')
    return <NotOffered what="MCP" reason={missing ?? list.error?.message ?? ''} />
  const kind = KINDS.find((one) => one === show) ?? 'tools'
  const tool = tools.find((one) => one.name === open)
  const items = tools.map(({ name, title, description }) => ({ key: name, title: title ?? name, name, description }))
  return (
    <div className="space-y-4">
      <Endpoint place={place} path="/mcp/" snippets={mcpSnippets}>
        <p className="text-ink-3 text-xs empty:hidden">{describeServer(list.server)}</p>
      </Endpoint>
      <Tabs
        label="MCP features"
        value={kind}
        onValueChange={(next) => setShow(next === 'tools' ? '' : next)}
        tabs={KINDS.map((value) => ({ value, label: LABELS[value] }))}
      >
        {list.server.offers?.includes(kind) === false ? (
          <NotOffered
            what={LABELS[kind].toLowerCase()}
            reason={`The server does not list ${LABELS[kind].toLowerCase()} among its capabilities.`}
          />
        ) : kind === 'tools' ? (
          <McpListView
            label="Tools"
            one="a tool"
            list={list}
            items={items}
            current={tool?.name}
            missing={tool ? undefined : open}
            onOpen={setOpen}
          >
            {tool ? <ToolConsole key={tool.name} place={place} tool={tool} views={views} /> : null}
          </McpListView>
        ) : !list.isRead ? (
          loading()
        ) : kind === 'prompts' ? (
          <McpPrompts place={place} Arguments={views.Arguments} />
        ) : (
          <McpResources place={place} />
        )}
      </Tabs>
    </div>
  )
}

const describeServer = ({ name, version, protocol }: McpServer): string =>
  [name && `${name}${version ? ` ${version}` : ''}`, protocol && `protocol ${protocol}`].filter(Boolean).join(', ')
