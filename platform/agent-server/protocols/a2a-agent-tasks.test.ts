import * as errors from '@a2a-js/sdk/errors'
import { describe, expect, test } from 'vitest'
import { invalid } from '../kernel/errors'
import { collect } from '../testing'
import { TASK_STATES } from './a2a-tasks'
import { type Any, agentOf, send, THREAD, text, type World } from './testing'

type Json = Record<string, unknown>

/** How tasks are listed, read, cancelled and pushed, and which errors are told. */

describe('a list of tasks', () => {
  const list = (asked: Json, world: World = {}) => {
    const { agent, of } = agentOf(world)
    return { result: agent.listTasks(asked as never), asked: () => of('list')[0] }
  }

  test.each<[Json, string]>([
    [{ pageSize: 0 }, 'A page has 1 to 100 tasks.'],
    [{ pageSize: 101 }, 'A page has 1 to 100 tasks.'],
    [{ status: 9 }, 'The status is unknown.'],
    [{ historyLength: -1 }, 'historyLength cannot be negative.'],
    [{ statusTimestampAfter: 'soon' }, 'statusTimestampAfter is not a time.'],
    [{ statusTimestampAfter: '2026-13-40T00:00:00Z' }, 'statusTimestampAfter is not a time.'],
    [{ statusTimestampAfter: 'x2026-01-01T00:00:00Z' }, 'statusTimestampAfter is not a time.'],
    [{ pageToken: 'nonsense' }, 'The pageToken does not belong to this list.'],
    [{ pageToken: Buffer.from('{"changed":"x","id":"a"}').toString('base64url') }, 'pageToken'],
    [{ pageToken: Buffer.from('{"changed":"2026-01-01","id":1}').toString('base64url') }, 'pageToken'],
  ])('is refused for %j', async (asked, message) => {
    await expect(list(asked).result).rejects.toThrow(message)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('may be of the state %i', async (status) => {
    const { result, asked } = list({ status, pageSize: 100, historyLength: 0 })
    expect(await result).toEqual({ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 })
    expect(asked()).toMatchObject(['list', 'a1', { state: status, limit: 100 }])
  })

  test('is of all tasks unless something is asked for', async () => {
    const { result, asked } = list({ pageToken: '', contextId: '', status: 0, statusTimestampAfter: '' })
    await result
    expect(asked()[2]).toEqual({
      contextId: undefined,
      state: undefined,
      since: undefined,
      after: undefined,
      limit: 50,
    })
  })

  test('goes on where the last page ended, and has artifacts only on request', async () => {
    const next = { changed: '2026-01-01 10:00:00.123456+00', id: 't9' }
    const tasks = Array.from({ length: 6 }, (_, index) => ({ id: `t${index}` }))
    const world = { page: { tasks, total: 7, next } }
    const first = await list({ pageSize: 1, contextId: 'c', statusTimestampAfter: '2026-01-01T00:00:00Z' }, world)
      .result
    expect(first).toMatchObject({ pageSize: 6, totalSize: 7, tasks: tasks.map(({ id }) => ({ id, artifacts: [] })) })
    const { result, asked } = list({ pageToken: first.nextPageToken, historyLength: 2, includeArtifacts: true }, world)
    expect((await result).tasks[0]).toEqual(
      expect.objectContaining({ historyLength: 2, artifacts: [{ artifactId: 'final' }] }),
    )
    expect(asked()[2].after).toEqual(next)
  })
})

describe('a task', () => {
  test('is read with as much history as was asked for', async () => {
    expect(await agentOf().agent.getTask({ id: 't1', historyLength: 2 })).toMatchObject({ id: 't1', historyLength: 2 })
    await expect(agentOf({ found: null }).agent.getTask({ id: 't1' })).rejects.toBeInstanceOf(errors.TaskNotFoundError)
  })

  test('in progress is cancelled with its run, and read once that has ended', async () => {
    const { agent, log } = agentOf()
    expect(await agent.cancelTask({ id: 't1' })).toMatchObject({ id: 't1' })
    expect(log.map(([what]) => what)).toEqual(['find', 'cancel', 'wait', 'find'])
    expect(log[1]).toEqual(['cancel', 'r1', 'interrupt'])
  })

  test('that waits for input is dismissed, and those who want to know are told', async () => {
    const { agent, log } = agentOf({ found: { status: 'interrupted' }, state: TASK_STATES.inputRequired })
    await agent.cancelTask({ id: 't1' })
    expect(log.map(([what]) => what)).toEqual(['find', 'dismiss', 'notify', 'find'])
    expect(log[2]).toEqual(['notify', 't1', 'r1'])
  })

  test('that has ended cannot be cancelled, not even if it ends meanwhile', async () => {
    for (const world of [{ found: { status: 'success' }, state: TASK_STATES.completed }, { cancels: false }]) {
      const { agent, of } = agentOf(world)
      await expect(agent.cancelTask({ id: 't1' })).rejects.toThrow('Task t1 has already ended.')
      expect([...of('wait'), ...of('dismiss')]).toEqual([])
    }
  })
})

describe('push notifications', () => {
  const config = { id: 'c1', taskId: 'T1', url: 'https://x.example' } as Any

  test('are checked before the run starts, and saved with it', async () => {
    const { agent, log } = agentOf({ version: '0.3' })
    await agent.sendMessage(send([text('hi')], {}, { taskPushNotificationConfig: config }))
    expect(log.map(([what]) => what)).toEqual(['check', 'start', 'save', 'read', 'find'])
    expect(log[2]).toEqual(['save', 'r9', config, '0.3', { threadId: THREAD, begun: 'r9' }])
    const stream = agentOf()
    await collect(stream.agent.sendMessageStream(send([text('hi')], {}, { taskPushNotificationConfig: config })))
    expect(stream.of('save')).toHaveLength(1)
  })

  test('are set, read, listed and removed by the task that they are of', async () => {
    const { agent, of } = agentOf({ configs: [config, { ...config, id: 'c2' }] })
    expect(await agent.createPushConfig(config)).toBe(config)
    expect([of('check'), of('save')]).toEqual([
      [['check', config]],
      [['save', 't1', config, '1.0', { threadId: THREAD }]],
    ])
    expect(await agent.getPushConfig({ taskId: 'T1', id: 'c2' })).toMatchObject({ id: 'c2' })
    expect(await agent.getPushConfig({ taskId: 'T1', id: '' })).toMatchObject({ id: 'c1' })
    expect(await agent.listPushConfigs({ taskId: 'T1' })).toMatchObject({ configs: [{}, {}], nextPageToken: '' })
    await agent.deletePushConfig({ taskId: 'T1', id: 'c1' })
    expect(of('remove')).toEqual([['remove', 't1', 'c1']])
    await expect(agent.getPushConfig({ taskId: 'T1', id: 'c3' })).rejects.toThrow(
      'Task T1 has no push notification configuration c3.',
    )
    await expect(agentOf().agent.getPushConfig({ taskId: 'T1', id: '' })).rejects.toThrow(
      'Task T1 has no push notification configuration.',
    )
  })

  test('are refused where webhooks are switched off, and nothing starts', async () => {
    const { agent, handler, log } = agentOf({ isOn: false })
    const refused = { name: 'PushNotificationNotSupportedError' }
    const request = send([text('hi')], {}, { taskPushNotificationConfig: config })
    await expect(agent.sendMessage(request)).rejects.toMatchObject(refused)
    await expect(agent.createPushConfig(config)).rejects.toMatchObject(refused)
    await expect(agent.getPushConfig({ taskId: 'T1', id: '' })).rejects.toMatchObject(refused)
    await expect(agent.listPushConfigs({ taskId: 'T1' })).rejects.toMatchObject(refused)
    await expect(agent.deletePushConfig({ taskId: 'T1', id: '' })).rejects.toMatchObject(refused)
    expect(log).toEqual([])
    expect((await handler.getAgentCard()).capabilities).toEqual({ streaming: true, pushNotifications: false })
  })
})

describe('an error', () => {
  const sent = (fail: unknown) => {
    const { handler, of } = agentOf({ fail })
    const request = send([text('hi')])
    return {
      of,
      one: () => handler.sendMessage(request, {} as Any),
      stream: () => collect(handler.sendMessageStream(request, {} as Any) as Any),
    }
  }

  test('of the request is one of the protocol, with its reason', async () => {
    const { one, stream, of } = sent(invalid(['body', 'input', 'a'], 'wrong'))
    for (const work of [one, stream]) {
      const error = await work().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(errors.RequestMalformedError)
      expect((error as Error).message).toBe('input.a: wrong.')
    }
    expect(of('error')).toEqual([])
  })

  test('of the protocol stays what it is', async () => {
    const own = new errors.TaskNotFoundError({ message: 'x' })
    await expect(sent(own).one()).rejects.toBe(own)
  })

  test('of the server is only logged', async () => {
    const { one, stream, of } = sent(new Error('secret reason'))
    for (const work of [one, stream]) await expect(work()).rejects.toThrow(/^Internal error$/)
    expect(of('error').map(([, line]: [string, string]) => line.includes('secret reason'))).toEqual([true, true])
  })

  test('tells that there is no extended card', async () => {
    await expect(agentOf().handler.getAuthenticatedExtendedAgentCard({} as Any, {} as Any)).rejects.toMatchObject({
      name: 'ExtendedAgentCardNotConfiguredError',
    })
  })
})

test('each operation of the protocol reaches the agent', async () => {
  const world = { configs: [{ id: 'c1' }] }
  const { handler } = agentOf(world)
  const context = {} as Any
  expect(await handler.getTask({ id: 't1' } as Any, context)).toMatchObject({ id: 't1' })
  expect(await handler.cancelTask({ id: 't1' } as Any, context)).toMatchObject({ id: 't1' })
  expect(await handler.listTasks({} as Any, context)).toMatchObject({ totalSize: 0 })
  expect(await collect(handler.resubscribe({ id: 't1' } as Any, context) as Any)).not.toEqual([])
  const place = { taskId: 't1', id: 'c1' } as Any
  expect(await handler.createTaskPushNotificationConfig(place, context)).toBe(place)
  expect(await handler.getTaskPushNotificationConfig(place, context)).toEqual({ id: 'c1' })
  expect(await handler.listTaskPushNotificationConfigs(place, context)).toMatchObject({ configs: [{}] })
  expect(await handler.deleteTaskPushNotificationConfig(place, context)).toBeUndefined()
})
