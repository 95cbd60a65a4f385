import { isJsonObject } from './json'

/** The version of the Model Context Protocol that is offered; the server's answer says which one is spoken. */
export const MCP_VERSION = '2025-06-18'

type Json = Readonly<Record<string, unknown>>

/** A tool as a server describes it; nothing about it is sure. */
export type McpTool = {
  name: string
  title?: string
  description?: string
  inputSchema?: Json
  outputSchema?: Json
  /** Hints such as `readOnlyHint`: what the server says of the tool, not what it is. */
  annotations?: Json
}

/** The tools in the results of `tools/list`, page after page. What has no name cannot be called and is left out. */
export function toolsOf(results: readonly unknown[]): McpTool[] {
  return results.flatMap((result) => {
    const tools = isJsonObject(result) && Array.isArray(result.tools) ? result.tools : []
    return tools.filter(isJsonObject).flatMap((tool): McpTool[] => {
      const { name, title, description, inputSchema, outputSchema, annotations } = tool
      if (typeof name !== 'string') return []
      const named = textOf(title) ?? (isJsonObject(annotations) ? textOf(annotations.title) : undefined)
      return [
        {
          name,
          ...(named && { title: named }),
          ...(textOf(description) && { description: textOf(description) }),
          ...(isJsonObject(inputSchema) && { inputSchema }),
          ...(isJsonObject(outputSchema) && { outputSchema }),
          ...(isJsonObject(annotations) && { annotations }),
        },
      ]
    })
  })
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export type McpResult = { blocks: Json[]; structured: unknown; isError: boolean }

/** What a tool has answered; undefined for what is no such result. */
export function toolResult(result: unknown): McpResult | undefined {
  if (!isJsonObject(result)) return undefined
  const { content, structuredContent, isError } = result
  return {
    blocks: Array.isArray(content) ? content.filter(isJsonObject) : [],
    structured: structuredContent,
    isError: isError === true,
  }
}

/** Who answers, from the result of `initialize`. */
export function mcpServer(result: unknown): { name?: string; version?: string; protocol?: string } {
  if (!isJsonObject(result)) return {}
  const info = isJsonObject(result.serverInfo) ? result.serverInfo : {}
  return {
    name: textOf(info.title) ?? textOf(info.name),
    version: textOf(info.version),
    protocol: textOf(result.protocolVersion),
  }
}
