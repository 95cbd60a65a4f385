'use client'
import { MessageSquareText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocalParam } from '@/components/shared/layout/use-local-param'
import { VisibleText } from '@/components/shared/text/visible-text'
import { type McpPrompt, promptMessages, promptsOf } from '@/lib/contracts/agents/mcp'
import { responsesTo } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { McpListView } from './mcp-list'
import { ReadConsole } from './read-console'
import type { ToolViews } from './tool-console'
import { ResultBlock } from './tool-result'
import { useConversation } from './use-conversation'
import { useMcpList } from './use-mcp-list'

type Arguments = ToolViews['Arguments']

/** The prompts of an MCP server, with a form to render one with arguments. */
export function McpPrompts({ place, Arguments }: { place: DeploymentPlace; Arguments: Arguments }) {
  const [open, setOpen] = useLocalParam('prompt')
  const list = useMcpList(place, 'prompts')
  const prompts = useMemo(() => promptsOf(list.results), [list.results])
  const prompt = prompts.find(({ name }) => name === open)
  const items = prompts.map(({ name, title, description }) => ({ key: name, title: title ?? name, name, description }))
  return (
    <McpListView label="Prompts" one="a prompt" list={list} items={items} current={prompt?.name} onOpen={setOpen}>
      {prompt ? <PromptConsole key={prompt.name} place={place} prompt={prompt} Arguments={Arguments} /> : null}
    </McpListView>
  )
}

type Props = { place: DeploymentPlace; prompt: McpPrompt; Arguments: Arguments }

function PromptConsole({ place, prompt, Arguments }: Props) {
  const { name, title, description } = prompt
  const [value, setValue] = useState<Record<string, unknown>>({})
  const [isUnfinished, setUnfinished] = useState(false)
  const conversation = useConversation(place)
  const { exchanges, start } = conversation
  const schema = useMemo(() => schemaOf(prompt), [prompt])
  const response = useMemo(() => responsesTo(exchanges, 'prompts/get').at(-1), [exchanges])
  const messages = response && 'result' in response ? promptMessages(response.result) : undefined
  const missing = prompt.arguments.find((one) => one.isRequired && !textOf(value[one.name]))
  const unfinished = isUnfinished ? 'Fix the highlighted fields.' : undefined
  function get() {
    // MCP allows only text as prompt arguments.
    const given = Object.entries(value).map(([key, one]) => [key, textOf(one)])
    void start({ protocol: 'mcp', ask: 'prompt', name, arguments: Object.fromEntries(given) })
  }
  return (
    <ReadConsole
      name={title ?? name}
      description={description}
      label="Get prompt"
      action={
        <>
          <MessageSquareText aria-hidden />
          Get prompt
        </>
      }
      reason={missing ? `${missing.name} is required.` : unfinished}
      onSubmit={get}
      conversation={conversation}
      response={response}
      result={messages?.map(({ role, block }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity and do not change places
        <div key={index} className="min-w-0 space-y-1">
          <p className="text-ink-3 text-xs">
            <VisibleText>{role.slice(0, 80)}</VisibleText>
          </p>
          <ResultBlock block={block} />
        </div>
      ))}
      empty="No messages"
    >
      {prompt.arguments.length > 0 ? (
        <Arguments schema={schema} value={value} onChange={setValue} onUnfinished={setUnfinished} />
      ) : (
        <p className="text-ink-3 text-xs">No arguments</p>
      )}
    </ReadConsole>
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : String(value)

/** A prompt's arguments as a JSON schema, so that they are rendered like a tool's. */
const schemaOf = (prompt: McpPrompt) => ({
  type: 'object',
  properties: Object.fromEntries(
    prompt.arguments.map(({ name, description }) => [name, { type: 'string', ...(description && { description }) }]),
  ),
  required: prompt.arguments.filter((one) => one.isRequired).map(({ name }) => name),
})
