import { expect, test } from 'vitest'
import { finishOf } from './finish'

test.each<[string, unknown, string | undefined, string | undefined]>([
  ['chat completions', { choices: [{ finish_reason: 'length' }] }, 'length', 'length'],
  ['messages', { content: [], stop_reason: 'pause_turn' }, 'other', 'pause_turn'],
  ['Gemini', { candidates: [{ finishReason: 'PROHIBITED_CONTENT' }] }, 'content_filter', 'PROHIBITED_CONTENT'],
  ['a blocked prompt of Gemini', { promptFeedback: { blockReason: 'SAFETY' } }, 'content_filter', 'SAFETY'],
  [
    'Responses that called a function',
    { status: 'completed', output: [{ type: 'function_call' }] },
    'tool_calls',
    'tool_calls',
  ],
  [
    'Responses that were cut off',
    { response: { output: [], status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } },
    'length',
    'max_output_tokens',
  ],
  ['Responses that failed', { output: [], status: 'failed' }, 'error', 'failed'],
  ['the AI SDK', { finishReason: { unified: 'tool-calls', raw: 'tool_use' } }, 'tool_calls', 'tool-calls'],
  ['a key of every object', { finish_reason: 'constructor' }, 'other', 'constructor'],
  [
    'chat completions that broke off',
    { object: 'chat.completion.chunk', choices: [{ message: { role: 'assistant', content: 'The' } }] },
    'broken_off',
    'no finish reason',
  ],
  ['messages that broke off', { role: 'assistant', content: [], stop_reason: null }, 'broken_off', 'no finish reason'],
  ['Responses that broke off', { type: 'response.output_text.delta', delta: 'The' }, 'broken_off', 'no finish reason'],
  ['no reason', { content: 'a' }, undefined, undefined],
  ['no outputs', undefined, undefined, undefined],
])('the finish reason of %s', (_, outputs, kind, given) => {
  expect([finishOf(outputs)?.kind, finishOf(outputs)?.given]).toEqual([kind, given])
})
