// The graphs that the servers under test serve; agents.py has the same ones.
import { AIMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { Annotation, interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

const State = Annotation.Root({ ...MessagesAnnotation.spec, plan: Annotation<string> })
const Context = z.object({ persona: z.string().optional() })
const lastText = ({ messages }: typeof State.State) => String(messages.at(-1)?.content)

const planner = new StateGraph(State)
  .addNode('think', (state) => ({ plan: `answer "${lastText(state)}"` }))
  .addEdge('__start__', 'think')
  .compile()

/** Answers with the last message, letter by letter; has a subgraph and a context. */
export const chat = new StateGraph(State, Context)
  .addNode('planner', planner)
  .addNode('reply', async (state, config) => {
    const text = lastText(state)
    const model = new FakeListChatModel({
      responses: [`The ${config.context?.persona ?? 'echo'} heard: ${text} (${state.messages.length})`],
      sleep: text.includes('slowly') ? 400 : 5,
    })
    return { messages: [await model.invoke(state.messages, config)] }
  })
  .addEdge('__start__', 'planner')
  .addEdge('planner', 'reply')
  .compile()

/** Asks before it answers. */
export const approval = new StateGraph(State)
  .addNode('review', () => ({
    messages: [new AIMessage(`The answer was: ${interrupt<string, string>('Shall it be sent?')}`)],
  }))
  .addEdge('__start__', 'review')
  .compile()

/** Fails at once. */
export const failing = new StateGraph(State)
  .addNode('fail', () => {
    throw new Error('The harbour is closed.')
  })
  .addEdge('__start__', 'fail')
  .compile()
