// An A2A client that knows only an agent's address. Run by ../try-clients.mjs.
import { randomUUID } from 'node:crypto'
import { Message } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { report } from './report.mjs'

const connect = (agent) => new ClientFactory().createFromUrl(`${process.env.AGENT_SERVER_URL}/a2a/${agent}/`)
const request = (text = '', more = {}) => ({
  tenant: '',
  message: Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more }),
  configuration: undefined,
  metadata: undefined,
})
/** @returns {Promise<any>} A task: none of these agents answers with a message. */
const send = (client, ...asked) => client.sendMessage(request(...asked))
const answerOf = (task) => task.artifacts?.[0]?.parts?.[0]?.content?.value

await report({
  'A2A: card, send a message': async () => {
    const client = await connect('chat')
    const task = await send(client, 'hello there')
    if (answerOf(task) !== 'You said: hello there') return `it said ${JSON.stringify(answerOf(task))}`
    const again = await client.getTask({ tenant: '', id: task.id, historyLength: 1 })
    if (answerOf(again) !== answerOf(task)) return 'the task is another one when it is read'
  },
  'A2A: stream': async () => {
    const client = await connect('chat')
    const kinds = new Set()
    for await (const { payload } of client.sendMessageStream(request('one two three'))) kinds.add(payload?.$case)
    if (!kinds.has('artifactUpdate') || !kinds.has('statusUpdate')) return `only ${[...kinds]}`
  },
  'A2A: input required, answered': async () => {
    const client = await connect('approval')
    const asked = await send(client, 'x', { parts: [{ data: { topic: 'the picnic' } }] })
    const state = asked.status?.state
    const { id: taskId, contextId } = asked
    const done = await send(client, 'yes', { taskId, contextId })
    if (done.status?.state === state) return `the task stays in state ${state}`
  },
})
