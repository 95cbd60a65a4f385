'use client'
import { FileText } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { useLocalParam } from '@/components/shared/layout/use-local-param'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { type McpResource, resourceBlocks, resourcesOf } from '@/lib/contracts/agents/mcp'
import { responsesTo } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { McpListView } from './mcp-list'
import { ReadConsole } from './read-console'
import { ResultBlock } from './tool-result'
import { useConversation } from './use-conversation'
import { useMcpList } from './use-mcp-list'

/** The resources and resource templates of an MCP server, with a form to read one. */
export function McpResources({ place }: { place: DeploymentPlace }) {
  const [open, setOpen] = useLocalParam('resource')
  const list = useMcpList(place, 'resources')
  // Many servers have no templates and reject the request; that counts as an empty list.
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

function ResourceConsole({ place, resource }: { place: DeploymentPlace; resource: McpResource }) {
  const id = useId()
  const [uri, setUri] = useState(resource.uri)
  const conversation = useConversation(place)
  const { exchanges, start } = conversation
  const response = useMemo(() => responsesTo(exchanges, 'resources/read').at(-1), [exchanges])
  const blocks = response && 'result' in response ? resourceBlocks(response.result) : undefined
  return (
    <ReadConsole
      name={resource.name}
      description={resource.description}
      label="Read resource"
      action={
        <>
          <FileText aria-hidden />
          Read resource
        </>
      }
      reason={uri.trim() ? undefined : 'Enter a URI.'}
      onSubmit={() => void start({ protocol: 'mcp', ask: 'resource', uri: uri.trim() })}
      conversation={conversation}
      response={response}
      result={blocks?.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity and do not change places
        <ResultBlock key={index} block={block} />
      ))}
      empty="The resource is empty."
    >
      <Field
        id={id}
        label="URI"
        hint={resource.isTemplate ? 'Template. Fill in the parts in braces.' : (resource.mimeType ?? '')}
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
    </ReadConsole>
  )
}
