import { expect, test } from 'vitest'
import { CORPUS } from './corpus/corpus'
import { settingsOf } from './settings'

const llm = (name: string) => {
  const run = CORPUS.find((one) => one.name.startsWith(name))?.runs.findLast((one) => one.run_type === 'llm')
  if (!run) throw new Error(`No case ${name}`)
  return settingsOf(run)
}

test.each([
  ['chat: parallel tool calls', 'get_weather', 'The weather of a city'],
  ['responses: reasoning summary', 'tide_table', undefined],
  ['anthropic: thinking', 'tide_at', 'The tide at a place'],
  ['anthropic: a search', 'web_search', undefined],
  ['gemini: function call', 'multiply', 'Multiplies two numbers'],
  ['langchain openai: tool calls', 'tide_at', 'The tide at a place'],
  ['ai sdk: a tool', 'tide_at', 'The tide at a place'],
])('%s: the offered tool %s', (name, tool, description) => {
  const { tools } = llm(name)
  expect(tools.map((one) => [one.name, one.description])).toEqual([[tool, description]])
  expect(tools[0]?.schema).toBeTypeOf('object')
})

test.each([
  ['chat: text', ['temperature', 0.2]],
  ['gemini: system', ['temperature', 0.1]],
  ['anthropic: thinking', ['max_tokens', 2048]],
  ['langchain openai: text', ['model', 'gpt-5-mini']],
])('%s: the parameter %j', (name, value) => {
  expect(llm(name).values).toContainEqual(value)
})

test('the schema that an answer must follow, but not that it is text', () => {
  expect(llm('chat: structured').responseFormat).toMatchObject({ json_schema: { name: 'weather' } })
  expect(llm('ai sdk: structured').responseFormat).toMatchObject({ type: 'json' })
  expect(llm('chat: text').responseFormat).toBeUndefined()
  expect(settingsOf({ inputs: { text: { format: { type: 'text' } } } }).responseFormat).toBeUndefined()
})
