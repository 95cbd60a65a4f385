import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block, TraceMessage } from './blocks/message'
import type { LoggedRun } from './detect'
import { BLOCK_EXAMPLES } from './examples'
import { joinTools } from './join-tools'
import { readRun } from './read-run'

/** A message as `role: types of blocks`, with texts. */
const brief = (messages: readonly TraceMessage[] | undefined) =>
  messages?.map(
    ({ role, blocks }) => `${role}: ${blocks.map((one) => ('text' in one ? one.text : one.type)).join(', ')}`,
  )
const read = (run: LoggedRun) => {
  const { format, inputs, outputs, flaws } = readRun({ run_type: 'llm', ...run })
  return {
    format,
    inputs: brief(inputs),
    outputs: brief(outputs),
    flaws: flaws.map(({ path, reason }) => `${path}: ${reason}`),
  }
}
const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
})

describe('each format', () => {
  test("the interface's own: every role", () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: '1+2?' },
          { type: 'image', url: 'https://example.com/a.png' },
        ],
      },
      { role: 'reasoning', content: [{ type: 'reasoning', text: 'Add.' }] },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'add', args: { a: 1, b: 2 } }] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '3' }] },
    ]
    const answer = {
      role: 'assistant',
      content: [{ type: 'text', text: 'Three' }],
      usage_metadata: { input_tokens: 3 },
    }
    expect(read({ inputs: { messages }, outputs: { messages: [answer] } })).toEqual({
      format: 'own',
      inputs: ['system: Be brief.', 'user: 1+2?, image', 'reasoning: Add.', 'assistant: tool_call', 'tool: 3'],
      outputs: ['assistant: Three'],
      flaws: [],
    })
  })

  test.each<[string, unknown]>([
    ['choices[].message', { choices: [{ message: { role: 'assistant', content: 'Three' } }] }],
    ['message', { message: { role: 'assistant', content: [{ type: 'text', text: 'Three' }] } }],
    ['{role, content}', { role: 'assistant', content: [{ type: 'text', text: 'Three' }] }],
    ['[role, content]', ['assistant', [{ type: 'text', text: 'Three' }]]],
    ['[role, content] as the SDK wraps it', { outputs: ['assistant', 'Three'] }],
    ['outputs in outputs', { outputs: { message: { role: 'assistant', content: 'Three' } } }],
    ['a text', { output: 'Three' }],
    ['a content without a role', { content: 'Three' }],
  ])('a single output message given as %s', (_, outputs) => {
    const result = read({ inputs: { messages: [{ role: 'user', content: '1+2?' }] }, outputs })
    expect(result).toMatchObject({ inputs: ['user: 1+2?'], outputs: ['assistant: Three'], flaws: [] })
  })

  test('chat completions', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
    const inputs = {
      model: 'gpt-5',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See:' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: '3' },
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{}' } },
      ],
    }
    const outputs = { choices: [{ message: { role: 'assistant', content: 'Three', reasoning_content: 'Hm.' } }] }
    expect(read({ inputs, outputs, extra: { metadata: { ls_provider: 'openai' } } })).toEqual({
      format: 'completions',
      inputs: [
        'system: Be brief.',
        'user: See:, image',
        'assistant: tool_call',
        'tool: 3',
        'assistant: No.',
        'assistant: tool_call',
      ],
      outputs: ['assistant: Hm., Three'],
      flaws: [],
    })
  })

  test('Responses', () => {
    const inputs = {
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: '1+2?' }] },
        { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Add.' }] },
        { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c1', output: '3' },
      ],
    }
    const outputs = {
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Three' }] }],
    }
    expect(read({ inputs, outputs, extra: { metadata: { ls_provider: 'openai' } } })).toEqual({
      format: 'responses',
      inputs: ['system: Be brief.', 'user: 1+2?', 'assistant: Add.', 'assistant: tool_call', 'tool: tool_result'],
      outputs: ['assistant: Three'],
      flaws: [],
    })
    expect(read({ inputs: { input: 'Hello' }, outputs }).inputs).toEqual(['user: Hello'])
  })

  test('Anthropic messages', () => {
    const inputs = {
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: '1+2?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Add.' },
            { type: 'tool_use', id: 't1', name: 'add', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: '3' }] }] },
      ],
    }
    const outputs = { role: 'assistant', content: [{ type: 'text', text: 'Three' }], stop_reason: 'end_turn' }
    const result = read({ inputs, outputs })
    expect(result).toEqual({
      format: 'anthropic',
      inputs: ['system: Be brief.', 'user: 1+2?', 'assistant: Add., tool_call', 'user: tool_result'],
      outputs: ['assistant: Three'],
      flaws: [],
    })
    const { inputs: messages = [] } = readRun({ inputs, outputs })
    expect(messages[0]?.blocks[0]?.places).toEqual([{ path: 'inputs.system[0]', raw: inputs.system[0] }])
    expect(joinTools(messages).results.get('t1')).toMatchObject({
      status: 'success',
      blocks: [{ type: 'text', text: '3' }],
    })
  })

  test("the runtime's log: serialised classes in a nested list, with plain ones among them", () => {
    const calls = [{ name: 'add', args: { a: 1 }, id: 'c1', type: 'tool_call' }]
    const inputs = {
      messages: [
        [
          lc('SystemMessage', { content: 'Be brief.' }),
          lc('HumanMessage', { content: [{ type: 'text', text: '1+2?' }] }),
          { role: 'user', content: 'Quick!' },
          lc('AIMessageChunk', {
            content: [{ type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } }],
            tool_calls: calls,
            additional_kwargs: {
              tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
            },
          }),
          lc('ToolMessage', { content: '3', tool_call_id: 'c1', status: 'success' }),
          { type: 'ai', content: 'Almost', tool_calls: [], tool_call_id: undefined },
        ],
      ],
    }
    const outputs = { generations: [[{ text: 'Three', message: lc('AIMessage', { content: 'Three' }) }]] }
    const run = { inputs, outputs, extra: { metadata: { graph_id: 'chat', ls_provider: 'openai' } } }
    expect(read(run)).toEqual({
      format: 'langchain',
      inputs: [
        'system: Be brief.',
        'user: 1+2?',
        'user: Quick!',
        'assistant: tool_call',
        'tool: 3',
        'assistant: Almost',
      ],
      outputs: ['assistant: Three'],
      flaws: [],
    })
    // Logged three times, one call.
    expect(readRun(run).inputs?.[3]?.blocks[0]?.places.map((place) => place.path)).toEqual([
      'inputs.messages[0][3].kwargs.content[0]',
      'inputs.messages[0][3].kwargs.tool_calls[0]',
      'inputs.messages[0][3].kwargs.additional_kwargs.tool_calls[0]',
    ])
    expect(
      read({ outputs: { output: { update: { messages: [lc('AIMessage', { content: 'Moved' })] } } } }).outputs,
    ).toEqual(['assistant: Moved'])
    expect(
      read({ inputs: { prompts: ['Once upon'] }, outputs: { generations: [[{ text: 'a time' }]] } }),
    ).toMatchObject({
      inputs: ['user: Once upon'],
      outputs: ['assistant: a time'],
    })
  })

  test('what older versions of the library put next to the content', () => {
    const message = lc('AIMessage', {
      content: '',
      additional_kwargs: {
        refusal: 'No.',
        reasoning: { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        tool_outputs: [{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { query: 'a' } }],
      },
    })
    const { outputs, flaws } = read({ outputs: { generations: [[{ message }]] } })
    expect([outputs, flaws]).toEqual([['assistant: Hm., server_tool_call, No.'], []])
  })

  test('calls that two formats log become one, by name and arguments if one of them has no id', () => {
    const message = lc('AIMessage', {
      content: [
        { type: 'functionCall', functionCall: { name: 'add', args: { a: 1 } } },
        { type: 'functionCall', functionCall: { name: 'add', args: { a: 1 } } },
      ],
      tool_calls: [
        { name: 'add', args: { a: 1 }, id: 'c1', type: 'tool_call' },
        { name: 'add', args: { a: 1 }, id: 'c2', type: 'tool_call' },
      ],
    })
    const blocks = readRun({ outputs: { generations: [[{ message }]] } }).outputs?.[0]?.blocks
    expect(blocks?.map((block) => [block.type, 'id' in block && block.id, block.places.length])).toEqual([
      ['tool_call', 'c1', 2],
      ['tool_call', 'c2', 2],
    ])
  })

  test('a wrapped function’s arguments hold the messages', () => {
    const messages = [{ role: 'user', content: 'Hi' }]
    expect(read({ inputs: { input: { messages } } }).inputs).toEqual(['user: Hi'])
    expect(read({ inputs: { args: [{ messages }, 3] } }).inputs).toEqual(['user: Hi'])
  })
})

describe('detection', () => {
  const plain = { inputs: { messages: [{ role: 'user', content: 'a' }] } }
  test.each<[string, object, LoggedRun, string | undefined]>([
    [
      'the override before all else',
      { ls_message_format: 'anthropic', graph_id: 'a', ls_provider: 'openai' },
      plain,
      'anthropic',
    ],
    ['the SDK’s metadata', { ls_integration: 'vercel-ai-sdk', ls_provider: 'openai' }, plain, 'vercel'],
    [
      'the library before the provider',
      { ls_integration: 'langchain_chat_model', ls_provider: 'openai' },
      plain,
      'langchain',
    ],
    ['the graph before the provider', { langgraph_node: 'model', ls_provider: 'azure' }, plain, 'langchain'],
    [
      'a wrapped client in a graph’s node by its shape',
      { langgraph_node: 'model' },
      { ...plain, outputs: { choices: [] } },
      'completions',
    ],
    ['the provider', { ls_provider: 'azure' }, plain, 'completions'],
    [
      'the provider’s newer API',
      { ls_provider: 'openai', ls_invocation_params: { use_responses_api: true } },
      plain,
      'responses',
    ],
    ['an agent’s metadata', { ls_integration: 'claude-code' }, plain, 'anthropic'],
    ['an override nobody knows by the next best', { ls_message_format: 'toString' }, plain, 'completions'],
    ['nothing', {}, { inputs: { a: 1 } }, undefined],
  ])('uses %s', (_, metadata, run, format) => {
    expect(readRun({ run_type: 'llm', ...run, extra: { metadata } }).format).toBe(format)
  })
})

describe('bad input', () => {
  test('a bad block degrades only itself, and is reported by path', () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'hologram' }, { type: 'text', text: 'b' }] },
      12,
      { role: 'wizard', content: 'c' },
    ]
    expect(read({ inputs: { messages } })).toMatchObject({
      inputs: ['user: a, raw, b', 'unknown: raw', 'unknown: c'],
      flaws: [
        'inputs.messages[0].content[1]: No block of type "hologram" is known',
        'inputs.messages[1]: A message is an object with role and content, not a number',
        'inputs.messages[2]: No role "wizard" is known',
      ],
    })
  })

  test.each<[string, unknown, string]>([
    [
      'a tool_call_id of a user',
      { role: 'user', content: 'a', tool_call_id: 'x' },
      'inputs.messages[0].tool_call_id: Only a message',
    ],
    ['content that is a number', { role: 'user', content: 5 }, 'inputs.messages[0].content: content is a number'],
    ['no role', { content: 'a' }, 'inputs.messages[0]: role is missing'],
  ])('%s is flagged', (_, message, start) => {
    const { flaws } = read({ inputs: { messages: [message] } })
    expect(flaws[0]).toContain(start)
  })

  test('a result without a call is flagged in a conversation, not alone', () => {
    const result = { role: 'tool', content: 'a', tool_call_id: 'x' }
    expect(read({ outputs: { messages: [result] } }).flaws).toEqual([])
    const messages = [{ role: 'user', content: 'q' }, { role: 'assistant', content: 'b' }, result]
    expect(read({ inputs: { messages } }).flaws[0]).toContain('inputs.messages[2].tool_call_id: No earlier tool call')
  })
})

/** Every place of a result, including nested blocks. */
const placesOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => [
    ...block.places.map((place) => place.path),
    ...('blocks' in block && block.blocks ? placesOf(block.blocks) : []),
  ])

describe('any logged run', () => {
  const examples = fc.constantFrom(...BLOCK_EXAMPLES.map((one) => one.block as unknown))
  const block = fc.oneof(examples, fc.jsonValue({ maxDepth: 3 }))
  const calls = fc.array(
    fc.record({
      id: fc.constantFrom('call_1', 'b', undefined),
      name: fc.string(),
      args: fc.jsonValue({ maxDepth: 1 }),
    }),
    { maxLength: 3 },
  )
  const role = fc.constantFrom('user', 'assistant', 'tool', 'system', 'reasoning', 'wizard')
  const flat = fc.record({ role, content: fc.array(block, { maxLength: 5 }), tool_calls: calls })
  const classed = flat.map(({ role, ...kwargs }) => lc(role === 'user' ? 'HumanMessage' : 'AIMessage', kwargs))
  const messages = fc.array(fc.oneof(flat, classed), { minLength: 1, maxLength: 5 })

  test('every block of every message appears exactly once', () => {
    fc.assert(
      fc.property(messages, (list) => {
        const expected = list.flatMap((message, index) => {
          const isClass = 'kwargs' in message
          const body = (isClass ? message.kwargs : message) as { content: unknown[]; tool_calls: unknown[] }
          const path = `inputs.messages[${index}]${isClass ? '.kwargs' : ''}`
          return [
            ...body.content.map((_, place) => `${path}.content[${place}]`),
            ...body.tool_calls.map((_, place) => `${path}.tool_calls[${place}]`),
          ]
        })
        const { inputs = [] } = readRun({ inputs: { messages: list } })
        expect(inputs).toHaveLength(list.length)
        const places = inputs.flatMap((message) => placesOf(message.blocks))
        // Nested blocks are listed too, and no place is listed twice.
        expect(new Set(places).size).toBe(places.length)
        expect(places).toEqual(expect.arrayContaining(expected))
      }),
      { numRuns: 200 },
    )
  })

  test('nothing throws, and raw values are the logged ones themselves', () => {
    const run = fc.record(
      {
        run_type: fc.constantFrom('llm', 'chain', 5),
        inputs: fc.oneof(
          fc.jsonValue(),
          messages.map((list) => ({ messages: list })),
          messages,
        ),
        outputs: fc.oneof(
          fc.jsonValue(),
          messages.map((list) => ({ generations: [list] })),
          flat,
          messages.map((list) => ({ output: list })),
        ),
        extra: fc.oneof(fc.jsonValue(), fc.record({ metadata: fc.jsonValue() })),
        events: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(run, (one) => {
        const { inputs = [], outputs = [] } = readRun(one as LoggedRun)
        for (const message of [...inputs, ...outputs]) expect(message.raw).toBeDefined()
      }),
      { numRuns: 300 },
    )
  })

  test('odd keys and depths', () => {
    let deep: unknown = 'end'
    for (let n = 0; n < 20_000; n++) deep = { messages: [deep], input: deep, output: deep }
    expect(() => readRun({ inputs: deep, outputs: deep })).not.toThrow()
    const odd = JSON.parse('{"__proto__": {"messages": []}, "constructor": 1, "toString": {"content": []}}')
    expect(() => readRun({ inputs: odd, outputs: odd, extra: odd })).not.toThrow()
  })
})
