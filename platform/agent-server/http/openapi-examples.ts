import type { OperationId } from './handler-types'

/** Bodies that work unchanged, or with the reader's own ids. */

const CHAT = { messages: [{ role: 'user', content: 'Hello' }] }
const RUN = { assistant_id: 'chat', input: CHAT }
const STREAM = { ...RUN, stream_mode: ['messages-tuple', 'updates'], stream_subgraphs: true }
const MESSAGE = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }

export const EXAMPLES: Partial<Record<OperationId, Record<string, unknown>>> = {
  createAssistant: { 'An assistant of a graph': { graph_id: 'chat', name: 'Friendly', context: {} } },
  createThread: { 'An empty thread': {}, 'For a day only': { ttl: { strategy: 'delete', ttl: 1440 } } },
  createRun: {
    'A message': RUN,
    'In place of what runs': { ...RUN, multitask_strategy: 'interrupt' },
    'The answer to an interrupt': { assistant_id: 'approval', command: { resume: true } },
  },
  createRunStream: { 'Tokens and steps': STREAM, 'To be read again': { ...STREAM, stream_resumable: true } },
  createRunWait: { 'A message': RUN },
  createStatelessRun: { 'A message': RUN },
  createStatelessRunStream: { 'Tokens and steps': STREAM },
  createStatelessRunWait: { 'A message': RUN },
  createRunBatch: { 'Two runs': [RUN, RUN] },
  sendMcp: {
    'All tools': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    'One call': { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'chat', arguments: CHAT } },
  },
  sendA2a: {
    'A message': { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message: MESSAGE } },
    'A message, streamed': { jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message: MESSAGE } },
  },
}
