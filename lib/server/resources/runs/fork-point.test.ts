import { afterAll, beforeAll, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { agentServer } from '@/lib/contracts/agent-server'
import { isRecord } from '@/lib/json/guards'
import { call } from '../../upstream/call'
import { testAgentConsole } from '../testing'
import { forkPoint } from './fork-point'

let home: Awaited<ReturnType<typeof testAgentConsole>>
beforeAll(async () => {
  home = await testAgentConsole({ isDirect: true })
})
afterAll(() => home.close())

test('a message is edited by running from the checkpoint before it, the first one too', async () => {
  const as = { actor: home.developer }
  const thread = crypto.randomUUID()
  const place = { ...home.at, thread }
  const at = { ...home.at, params: { thread_id: thread } }
  const say = async (content: string, checkpoint?: string | null) => {
    const body = {
      assistant_id: 'chat',
      input: { messages: [{ role: 'user', content }] },
      if_not_exists: 'create' as const,
      ...(checkpoint && { checkpoint: { checkpoint_id: checkpoint } }),
    }
    await call(agentServer.createRunWait, { ...at, body }, as)
    const { values } = await call(agentServer.getThreadState, at, as)
    const messages = isRecord(values) && Array.isArray(values.messages) ? values.messages.filter(isRecord) : []
    return messages.filter(({ type }) => type === 'human').map(({ id, content }) => ({ id: String(id), content }))
  }
  await say('one')
  const [first, second] = await say('two')
  const { checkpoint } = await forkPoint(place, second?.id ?? '', as)
  expect((await say('three', checkpoint)).map(({ content }) => content)).toEqual(['one', 'three'])
  const before = await forkPoint(place, first?.id ?? '', as)
  expect((await say('four', before.checkpoint)).map(({ content }) => content)).toEqual(['four'])
  // It is on another branch now.
  expect(await failure(forkPoint(place, second?.id ?? '', as))).toMatchObject({ code: 'not_found' })
})
