'use client'
import { FileText } from 'lucide-react'
import { type FormEvent, useId, useMemo, useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { LongText } from '@/components/shared/long-text'
import { useLocalParam } from '@/components/shared/use-local-param'
import { VisibleText } from '@/components/shared/visible-text'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { answersTo } from '@/lib/contracts/exchange'
import { type McpResource, resourceBlocks, resourcesOf } from '@/lib/contracts/mcp'
import type { AgentPlace } from '@/lib/queries/protocols'
import { ExchangeView } from './exchange-view'
import { McpListView } from './mcp-list'
import { RpcErrorNotice } from './rpc-error-notice'
import { ResultBlock } from './tool-result'
import { useConversation } from './use-conversation'
import { useMcpList } from './use-mcp-list'
import { Waiting } from './waiting'

/** The resources of a server and the templates for their addresses, each with what it holds. */
export function McpResources({ place }: { place: AgentPlace }) {
  const [open, setOpen] = useLocalParam('resource')
  const list = useMcpList(place, 'resources')
  // Many servers have no templates and refuse to list them: then there are none.
  const templates = useMcpList(place, 'templates')
  const resources = useMemo(() => resourcesOf([...list.results, ...templates.results]), [list, templates])
  const resource = resources.find(({ uri }) => uri === open)
  const items = resources.map(({ uri, name, description }) => ({ key: uri, title: name, name: uri, description }))
  return (
    <McpListView label="Resources" one="a resource" list={list} items={items} current={resource?.uri} onOpen={setOpen}>
      {resource ? <ResourceConsole key={resource.uri} place={place} resource={resource} /> : null}
    </McpListView>
  )
}

function ResourceConsole({ place, resource }: { place: AgentPlace; resource: McpResource }) {
  const id = useId()
  const [uri, setUri] = useState(resource.uri)
  const { exchanges, error, isBusy, since, wasStopped, start, stop } = useConversation(place)
  const answer = useMemo(() => answersTo(exchanges, 'resources/read').at(-1), [exchanges])
  const blocks = answer && 'result' in answer ? resourceBlocks(answer.result) : undefined
  function read(event: FormEvent) {
    event.preventDefault()
    if (!isBusy && uri.trim()) void start({ protocol: 'mcp', ask: 'resource', uri: uri.trim() })
  }
  return (
    <section aria-label={resource.name} className="min-w-0 space-y-4">
      <form onSubmit={read} aria-label="Read the resource" className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
        <h2 className="break-words font-semibold text-base">
          <VisibleText>{resource.name}</VisibleText>
        </h2>
        {resource.description ? (
          <LongText text={resource.description} limit={1_000} className="text-ink-2 text-sm" />
        ) : null}
        <Field
          id={id}
          label="Address"
          hint={resource.isTemplate ? 'A template: fill in what stands in braces.' : (resource.mimeType ?? '')}
        >
          <Input
            id={id}
            className="font-mono"
            autoComplete="off"
            value={uri}
            onChange={({ target }) => setUri(target.value)}
            {...describedBy(id)}
          />
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            variant="primary"
            isBusy={isBusy}
            reason={uri.trim() ? undefined : 'Name an address first.'}
          >
            <FileText aria-hidden />
            Read
          </Button>
          {isBusy ? <Button onClick={stop}>Stop</Button> : null}
        </div>
        <Waiting since={since} wasStopped={wasStopped} />
      </form>
      {error ? <ErrorNotice error={error} /> : null}
      {answer && 'error' in answer ? <RpcErrorNotice error={answer.error} /> : null}
      {blocks ? (
        <section aria-label="Result" className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
          <h3 className="font-semibold text-sm">Result</h3>
          {blocks.length === 0 ? <p className="text-ink-3 text-sm">It holds nothing.</p> : null}
          {blocks.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity and do not change places
            <ResultBlock key={index} block={block} />
          ))}
        </section>
      ) : null}
      <ExchangeView exchanges={exchanges} />
    </section>
  )
}
