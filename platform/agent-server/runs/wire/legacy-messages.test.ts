import { AIMessageChunk } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { LegacyMessages } from './legacy-messages'

describe('the older mode of messages', () => {
  const emitted = () => {
    const events: [string, unknown][] = []
    return {
      events,
      legacy: new LegacyMessages((event, data) => void events.push([event, JSON.parse(JSON.stringify(data))])),
    }
  }
  const chunk = (content: string, id?: string) => new AIMessageChunk({ content, ...(id && { id }) })

  test('sends each message’s metadata once, and its text so far with each chunk', () => {
    const { events, legacy } = emitted()
    const sent: AIMessageChunk[][] = []
    const whole = new LegacyMessages((event, data) => {
      if (event === 'messages/partial') sent.push(data as AIMessageChunk[])
    })
    for (const one of [legacy, whole]) {
      one.addChunk({ run_id: 'r', metadata: { a: 1 }, data: { chunk: chunk('Hello ') } })
      one.addChunk({ run_id: 'r', metadata: { a: 1 }, data: { chunk: chunk('you') } })
      one.addChunk({ run_id: 'r', data: { chunk: chunk('other', 'own') } })
      one.addChunk({ run_id: 'r', data: {} })
    }
    expect(events.map(([event]) => event)).toEqual([
      ...['messages/metadata', 'messages/partial', 'messages/partial', 'messages/metadata', 'messages/partial'],
    ])
    expect(events[0]?.[1]).toEqual({ 'run-r': { metadata: { a: 1 } } })
    expect(sent.flat().map(({ id, content }) => [id, content])).toEqual([
      ['run-r', 'Hello '],
      ['run-r', 'Hello you'],
      ['own', 'other'],
    ])
  })

  test.each(['nostream', 'langsmith:nostream'])('sends nothing of a model with the tag %s', (tag) => {
    const { events, legacy } = emitted()
    legacy.addChunk({ run_id: 'r', tags: ['other', tag], data: { chunk: chunk('hidden') } })
    expect(events).toEqual([])
    legacy.addChunk({ run_id: 'r', tags: ['other'], data: { chunk: chunk('shown') } })
    expect(events).toHaveLength(2)
  })

  test('sends each message of the state once, when it appears', () => {
    const { events, legacy } = emitted()
    legacy.addState({ messages: [{ id: '1' }, { text: 'without an id' }] })
    legacy.addState({ messages: [{ id: '1' }, { id: '2' }] })
    for (const none of [{ messages: [{ id: '2' }] }, { messages: 'x' }, {}, null, undefined]) legacy.addState(none)
    expect(events).toEqual([
      ['messages/complete', [{ id: '1' }]],
      ['messages/complete', [{ id: '2' }]],
    ])
  })
})
