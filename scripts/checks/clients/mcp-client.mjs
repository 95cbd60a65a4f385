// An MCP client that knows only the server's address. Run by ../try-clients.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { report } from './report.mjs'

const client = new Client({ name: 'try-clients', version: '1' })
/** @param {string} name @param {Record<string, unknown>} input @returns {Promise<any>} */
const callTool = (name, input, options = {}) => client.callTool({ name, arguments: input }, undefined, options)
const textOf = ({ content }) => content[0]?.text ?? ''

await report({
  'MCP: connect, list tools': async () => {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${process.env.AGENT_SERVER_URL}/mcp`)))
    const { tools } = await client.listTools()
    const counter = tools.find(({ name }) => name === 'counter')
    if (!counter?.inputSchema.properties?.until) return `the counter's input is ${JSON.stringify(counter?.inputSchema)}`
  },
  'MCP: call a tool': async () => {
    const messages = [{ role: 'user', content: 'hello there' }]
    const said = textOf(await callTool('chat', { messages }))
    if (said !== 'You said: hello there') return `it said ${said}`
    const { structuredContent } = await callTool('counter', { until: 2 })
    if (structuredContent?.count !== 2) return `the state is ${JSON.stringify(structuredContent)}`
  },
  'MCP: progress': async () => {
    const seen = []
    const onprogress = ({ progress }) => seen.push(progress)
    await callTool('counter', { until: 3, delay: 20 }, { onprogress })
    if (String(seen) !== '1,2,3') return `progress was ${seen}`
  },
  'MCP: failures as results': async () => {
    const failed = await callTool('failing', {})
    if (!failed.isError || !textOf(failed).includes('It was not to be.')) return `it said ${textOf(failed)}`
    const wrong = await callTool('counter', { until: 'many' })
    if (!wrong.isError || !textOf(wrong).includes('until')) return `wrong arguments: ${textOf(wrong)}`
  },
})
