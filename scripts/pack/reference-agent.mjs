// A graph for the reference server, which streams its answer without a model.
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'

const model = new FakeListChatModel({
  responses: ['Hello from the reference server, one character at a time.'],
  sleep: 20,
})

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge('__start__', 'agent')
  .addEdge('agent', '__end__')
  .compile()
