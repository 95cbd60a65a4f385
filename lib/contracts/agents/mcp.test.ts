import { expect, test } from 'vitest'
import { mcpServer, promptMessages, promptsOf, resourceBlocks, resourcesOf, toolResult, toolsOf } from './mcp'

const odd = [null, 'text', {}, { tools: 7, prompts: {}, resources: 'x', contents: 1, messages: 1 }]

test('tools of all pages are read; without a name, or with wrong fields, they lose only those', () => {
  const inputSchema = { type: 'object' }
  const full = { name: 'add', title: 'Add', description: 'Adds.', inputSchema, outputSchema: {}, annotations: { a: 1 } }
  const pages = [...odd, { tools: [full, 'text', { title: 'nameless' }] }]
  const other = { name: 'b', title: '', description: 7, inputSchema: 'x', outputSchema: [], annotations: 'x' }
  expect(toolsOf([...pages, { tools: [other] }])).toEqual([full, { name: 'b' }])
  expect(toolsOf([{ tools: [{ name: 'c', annotations: { title: 'C' } }] }])).toEqual([
    { name: 'c', title: 'C', annotations: { title: 'C' } },
  ])
})

test('prompts are read with their arguments', () => {
  const given = [{ name: 'who', description: 'A name.', required: true }, { name: 'b', required: 'yes' }, {}, 'text']
  const named = { name: 'greet', title: 'Greet', description: 'Greets.', arguments: given }
  expect(
    promptsOf([...odd, { prompts: [named, { title: 'nameless' }] }, { prompts: [{ name: 'c', title: '' }] }]),
  ).toEqual([
    {
      ...{ name: 'greet', title: 'Greet', description: 'Greets.' },
      arguments: [
        { name: 'who', description: 'A name.', isRequired: true },
        { name: 'b', isRequired: false },
      ],
    },
    { name: 'c', arguments: [] },
  ])
})

test('resources and templates are read with the best name they have', () => {
  const resources = [
    { uri: 'file:a', title: 'A', name: 'a', mimeType: 'text/plain', description: 'A file.' },
    { uri: 'file:b', name: 'b', title: '' },
    { uri: 'file:c' },
    { name: 'nowhere' },
  ]
  expect(resourcesOf([...odd, { resources }, { resourceTemplates: [{ uriTemplate: 'file:{d}', name: 'd' }] }])).toEqual(
    [
      { uri: 'file:a', name: 'A', isTemplate: false, mimeType: 'text/plain', description: 'A file.' },
      { uri: 'file:b', name: 'b', isTemplate: false },
      { uri: 'file:c', name: 'file:c', isTemplate: false },
      { uri: 'file:{d}', name: 'd', isTemplate: true },
    ],
  )
})

test('results of calls, prompts and reads are their blocks', () => {
  const block = { type: 'text', text: 'ok' }
  expect(toolResult({ content: [block, 'text'], structuredContent: { a: 1 }, isError: true })).toEqual({
    ...{ blocks: [block], structured: { a: 1 }, isError: true },
  })
  expect(toolResult({ content: 'text', isError: 'yes' })).toEqual({ blocks: [], structured: undefined, isError: false })
  expect(toolResult('text')).toBeUndefined()
  const messages = [{ role: 'user', content: block }, { content: block }, { role: 'user', content: 'text' }]
  expect(promptMessages({ messages })).toEqual([
    { role: 'user', block },
    { role: '', block },
  ])
  expect(resourceBlocks({ contents: [block, null] })).toEqual([block])
  for (const one of odd) expect([promptMessages(one), resourceBlocks(one)]).toEqual([[], []])
})

test('a server tells its name, version and what it offers, or nothing', () => {
  const serverInfo = { name: 'demo', title: 'Demo', version: '1' }
  expect(mcpServer({ serverInfo, capabilities: { tools: {} }, protocolVersion: '2025' })).toEqual({
    ...{ name: 'Demo', version: '1', protocol: '2025', offers: ['tools'] },
  })
  expect(mcpServer({ serverInfo: { name: 'demo' } })).toEqual({ name: 'demo' })
  expect(mcpServer({ serverInfo: 'x' })).not.toHaveProperty('offers')
  expect(mcpServer('text')).toEqual({})
})

test('what is no result of a handshake tells nothing', () => {
  for (const odd of [null, undefined, 7, []]) expect(mcpServer(odd)).toEqual({})
})

test('the arguments of a prompt are a list of records, or none', () => {
  const given = (value: unknown) => promptsOf([{ prompts: [{ name: 'a', arguments: value }] }])[0]?.arguments
  expect(given([null, { name: 'b' }])).toEqual([{ name: 'b', isRequired: false }])
  expect(given('text')).toEqual([])
})
