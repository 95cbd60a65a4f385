// Realistic states of a given size: messages with tool calls, and a few other keys. Always the same bytes.

const WORDS = 'the harvest festival begins at noon near the old bridge and everyone who can walk is there '.split(' ')

function* random(seed) {
  for (let value = seed; ; ) {
    value = (value * 1_103_515_245 + 12_345) & 0x7fffffff
    yield value
  }
}

const next = (numbers) => numbers.next().value

function textOf(numbers, words) {
  let text = ''
  for (let at = 0; at < words; at += 1) text += `${WORDS[next(numbers) % WORDS.length]} `
  return text
}

function messageOf(index, numbers) {
  const isTool = index % 3 === 1
  return {
    content: textOf(numbers, 20 + (next(numbers) % 60)),
    additional_kwargs: {},
    response_metadata: { model: 'scripted', tokens: next(numbers) % 900, score: (next(numbers) % 1000) / 7 },
    type: index % 2 ? 'ai' : 'human',
    name: null,
    id: `message-${index}`,
    ...(isTool && {
      tool_calls: [{ name: 'search', args: { q: textOf(numbers, 3), limit: 10 }, id: `call-${index}` }],
    }),
  }
}

/** A state of about this many megabytes as JSON. `needle-at-the-end` is in its last message. */
export function stateText(megabytes, { seed = 7 } = {}) {
  const numbers = random(seed)
  const parts = []
  let size = 0
  for (let index = 0; size < megabytes * 1e6; index += 1) {
    const text = JSON.stringify(messageOf(index, numbers))
    parts.push(text)
    size += text.length + 1
  }
  parts.push(JSON.stringify({ content: 'needle-at-the-end', type: 'ai', id: 'last' }))
  return `{"topic":"festival","messages":[${parts.join(',')}],"step":${parts.length},"notes":{"a":[1,2,3],"big":12345678901234567890}}`
}

/** A state's text without the number that JSON.parse would change, for peers that compare parsed values. */
export const plainText = (text) => text.replace('12345678901234567890', '1')

/** Such a state with scattered changes, as after a few steps of a graph. */
export function changedText(text) {
  const state = JSON.parse(text)
  for (let at = 100; at < state.messages.length; at += 500) state.messages[at].content += ' changed'
  state.messages.splice(50, 1)
  state.messages.push({ content: 'one more', type: 'ai', id: 'one-more' })
  return JSON.stringify({ ...state, topic: 'winter' })
}

/** A conversation of this many messages. */
export function messagesText(count) {
  const numbers = random(11)
  return JSON.stringify({ messages: Array.from({ length: count }, (_, index) => messageOf(index, numbers)) })
}
