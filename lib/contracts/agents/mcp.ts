import { isRecord } from '@/lib/json/guards'

/** The MCP version that we offer; the server's response names the one in use. */
export const MCP_VERSION = '2025-06-18'

/** What a server lists, and with which method. */
export const MCP_LISTS = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  templates: 'resources/templates/list',
} as const
export type McpList = keyof typeof MCP_LISTS

type Json = Readonly<Record<string, unknown>>

/** A tool as a server describes it; any field can be missing or wrong. */
export type McpTool = {
  name: string
  title?: string
  description?: string
  inputSchema?: Json
  outputSchema?: Json
  /** Hints such as `readOnlyHint`, which are the server's claims and prove nothing. */
  annotations?: Json
}

/** The tools in all pages of `tools/list`. Those without a name cannot be called and are left out. */
export function toolsOf(results: readonly unknown[]): McpTool[] {
  return listed(results, 'tools').flatMap((tool): McpTool[] => {
    const { name, title, inputSchema, outputSchema, annotations } = tool
    if (typeof name !== 'string') return []
    const named = textOf(title) ?? (isRecord(annotations) ? textOf(annotations.title) : undefined)
    return [
      {
        name,
        ...(named && { title: named }),
        ...describedBy(tool),
        ...(isRecord(inputSchema) && { inputSchema }),
        ...(isRecord(outputSchema) && { outputSchema }),
        ...(isRecord(annotations) && { annotations }),
      },
    ]
  })
}

/** A prompt template of a server; its arguments are texts. */
export type McpPrompt = { name: string; title?: string; description?: string; arguments: McpArgument[] }
export type McpArgument = { name: string; description?: string; isRequired: boolean }

/** The prompts in all pages of `prompts/list`. */
export function promptsOf(results: readonly unknown[]): McpPrompt[] {
  return listed(results, 'prompts').flatMap((prompt): McpPrompt[] => {
    const { name, title } = prompt
    if (typeof name !== 'string') return []
    const given = Array.isArray(prompt.arguments) ? prompt.arguments.filter(isRecord) : []
    return [
      {
        name,
        ...(textOf(title) && { title: textOf(title) }),
        ...describedBy(prompt),
        arguments: given.flatMap((one) =>
          typeof one.name === 'string'
            ? [{ name: one.name, ...describedBy(one), isRequired: one.required === true }]
            : [],
        ),
      },
    ]
  })
}

/** A resource of a server. A template's address has placeholders in braces. */
export type McpResource = { uri: string; name: string; isTemplate: boolean; mimeType?: string; description?: string }

/**
 * The resources in the results of `resources/list` and `resources/templates/list`. Those without an address are left
 * out.
 */
export function resourcesOf(results: readonly unknown[]): McpResource[] {
  const found = [...listed(results, 'resources'), ...listed(results, 'resourceTemplates')]
  return found.flatMap((one): McpResource[] => {
    const uri = textOf(one.uri) ?? textOf(one.uriTemplate)
    if (!uri) return []
    const name = textOf(one.title) ?? textOf(one.name) ?? uri
    const type = textOf(one.mimeType)
    return [{ uri, name, isTemplate: !textOf(one.uri), ...(type && { mimeType: type }), ...describedBy(one) }]
  })
}

const listed = (results: readonly unknown[], key: string): Json[] =>
  results.flatMap((result) => {
    const all = isRecord(result) ? result[key] : undefined
    return Array.isArray(all) ? all.filter(isRecord) : []
  })

const describedBy = ({ description }: Json) => (textOf(description) ? { description: textOf(description) } : {})

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export type McpResult = { blocks: Json[]; structured: unknown; isError: boolean }

/** The result of a tool call; undefined if it is none. */
export function toolResult(result: unknown): McpResult | undefined {
  if (!isRecord(result)) return undefined
  const { content, structuredContent, isError } = result
  return {
    blocks: Array.isArray(content) ? content.filter(isRecord) : [],
    structured: structuredContent,
    isError: isError === true,
  }
}

/** The messages of a rendered prompt, each with its content as a block. */
export function promptMessages(result: unknown): { role: string; block: Json }[] {
  return listed([result], 'messages').flatMap(({ role, content }) =>
    isRecord(content) ? [{ role: String(role ?? ''), block: content }] : [],
  )
}

/** The content of a resource as blocks. */
export const resourceBlocks = (result: unknown): Json[] => listed([result], 'contents')

export type McpServer = { name?: string; version?: string; protocol?: string; offers?: readonly string[] }

/** The server's name and capabilities from the result of `initialize`; `offers` is absent if it lists none. */
export function mcpServer(result: unknown): McpServer {
  if (!isRecord(result)) return {}
  const info = isRecord(result.serverInfo) ? result.serverInfo : {}
  return {
    ...(isRecord(result.capabilities) && { offers: Object.keys(result.capabilities) }),
    name: textOf(info.title) ?? textOf(info.name),
    version: textOf(info.version),
    protocol: textOf(result.protocolVersion),
  }
}
