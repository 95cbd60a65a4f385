'use client'
import { Play, Square } from 'lucide-react'
import { type ComponentType, type FormEvent, useMemo, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Tabs } from '@/components/ui/tabs'
import { type McpTool, toolResult } from '@/lib/contracts/agents/mcp'
import { responsesTo } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { ExchangeView, RpcErrorNotice } from './exchange-view'
import { ToolResult } from './tool-result'
import { useConversation } from './use-conversation'
import { Waiting } from './waiting'

type Schema = Readonly<Record<string, unknown>>

/** Views for a tool's schema. The page passes in the ones from the assistants' pages, since features cannot import each other. */
export type ToolViews = {
  Arguments: ComponentType<{
    schema: Schema | undefined
    value: Record<string, unknown>
    onChange: (value: Record<string, unknown>) => void
    onUnfinished: (isUnfinished: boolean) => void
  }>
  SchemaTable: ComponentType<{ schema: Schema }>
}

type Props = { place: DeploymentPlace; tool: McpTool; views: ToolViews }

/** One tool: its description, its schemas, and a form to call it. */
export function ToolConsole({ place, tool, views: { Arguments, SchemaTable } }: Props) {
  const deniedReason = useReasons().run
  const [view, setView] = useState('call')
  const [value, setValue] = useState<Record<string, unknown>>({})
  const [isUnfinished, setUnfinished] = useState(false)
  const { exchanges, error, isBusy, since, wasStopped, start, stop } = useConversation(place)
  const response = useMemo(() => responsesTo(exchanges, 'tools/call').at(-1), [exchanges])
  const result = response && 'result' in response ? toolResult(response.result) : undefined
  function call(event: FormEvent) {
    event.preventDefault()
    if (isBusy || deniedReason || isUnfinished) return
    void start({ protocol: 'mcp', ask: 'call', name: tool.name, arguments: value })
  }
  return (
    <section aria-label={tool.title ?? tool.name} className="min-w-0 space-y-4">
      <div className="min-w-0 rounded-lg border bg-panel p-4">
        <ToolHead tool={tool} />
        <Tabs
          label="Tool"
          value={view}
          onValueChange={setView}
          tabs={[
            { value: 'call', label: 'Call' },
            { value: 'schema', label: 'Input schema' },
            ...(tool.outputSchema ? [{ value: 'output', label: 'Output schema' }] : []),
          ]}
        >
          {view === 'call' ? (
            <form aria-label="Call tool" onSubmit={call} className="space-y-3">
              <Arguments schema={tool.inputSchema} value={value} onChange={setValue} onUnfinished={setUnfinished} />
              <div className="flex flex-wrap items-center gap-2">
                <Button
                  type="submit"
                  variant="primary"
                  isBusy={isBusy}
                  reason={deniedReason ?? (isUnfinished ? 'Fix the highlighted fields.' : undefined)}
                >
                  <Play aria-hidden />
                  Call tool
                </Button>
                {isBusy ? (
                  <Button onClick={stop}>
                    <Square aria-hidden />
                    Stop
                  </Button>
                ) : null}
                <span className="text-ink-3 text-xs">This really runs the agent.</span>
              </div>
              <Waiting since={since} wasStopped={wasStopped} />
            </form>
          ) : (
            <SchemaTable schema={(view === 'schema' ? tool.inputSchema : tool.outputSchema) ?? {}} />
          )}
        </Tabs>
      </div>
      {error ? <ErrorNotice error={error} /> : null}
      {response && 'error' in response ? <RpcErrorNotice error={response.error} /> : null}
      {result ? <ToolResult result={result} /> : null}
      <ExchangeView exchanges={exchanges} />
    </section>
  )
}

const ToolHead = ({ tool: { name, title, description, annotations = {} } }: { tool: McpTool }) => (
  <header className="mb-3 min-w-0">
    <h2 className="break-words font-semibold text-base">
      <VisibleText>{title ?? name}</VisibleText>
    </h2>
    {title && title !== name ? (
      <code className="block break-all font-mono text-ink-3 text-xs">
        <VisibleText>{name}</VisibleText>
      </code>
    ) : null}
    {description ? <LongText text={description} limit={1_000} className="mt-1 text-ink-2 text-sm" /> : null}
    <p className="mt-1 flex flex-wrap gap-1 empty:hidden">
      {Object.entries(annotations)
        .filter(([, value]) => typeof value === 'boolean')
        .map(([hint, value]) => (
          <Badge key={hint} title="Hint from the server. Not guaranteed.">
            <VisibleText>{`${hint}: ${value ? 'yes' : 'no'}`}</VisibleText>
          </Badge>
        ))}
    </p>
  </header>
)
