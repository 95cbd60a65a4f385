// A client of several agent servers of one deployment: each request goes to the next one, as behind a load balancer.
// Requests that got no answer are repeated where that is safe, and streams are continued elsewhere.
import { setTimeout as sleep } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'

/** Without any answer of any process. A busy machine kills processes faster than some requests are answered. */
const GIVE_UP_MS = 60_000
/** Whatever others get. */
const GIVE_UP_ALONE_MS = 600_000
const HEADERS = { 'content-type': 'application/json' }

/**
 * `isPaused`: a process that was paused fails the requests that were under way at it.
 * @param {() => string[]} urls the processes that live now
 */
export function createReplicaClient(urls, { isPaused = false } = {}) {
  let turn = 0
  let reconnects = 0
  let answeredAt = Date.now()
  const answered = () => {
    answeredAt = Date.now()
  }
  const isHopeless = (since) =>
    Date.now() - Math.max(since, answeredAt) > GIVE_UP_MS || Date.now() - since > GIVE_UP_ALONE_MS
  const next = () => {
    const all = urls()
    turn += 1
    return all[turn % all.length]
  }

  /** Throws `isUnanswered` if the process died before its answer was complete. */
  async function once(method, resource, body) {
    let response
    let text
    try {
      response = await fetch(next() + resource, { method, headers: HEADERS, body: body && JSON.stringify(body) })
      text = await response.text()
      answered()
    } catch (error) {
      throw Object.assign(error, { isUnanswered: true })
    }
    if (!response.ok)
      throw Object.assign(new Error(`${method} ${resource}: ${response.status} ${text}`), {
        isUnanswered: isPaused && response.status === 500,
      })
    return text && JSON.parse(text)
  }

  async function call(method, resource, body) {
    for (const since = Date.now(); ; await sleep(50)) {
      try {
        return await once(method, resource, body)
      } catch (error) {
        if (!error.isUnanswered || isHopeless(since)) throw error
        reconnects += 1
      }
    }
  }

  /** Creates a run once: after a lost answer, it looks for the run by the number in its metadata first. */
  async function createRun(threadId, body, number) {
    const path = `/threads/${threadId}/runs`
    for (const since = Date.now(); ; await sleep(50)) {
      try {
        return await once('POST', path, body)
      } catch (error) {
        if (!error.isUnanswered || isHopeless(since)) throw error
        reconnects += 1
        await sleep(200) // what the dead process had sent may still be committed
        const known = await call('GET', `${path}?limit=100`)
        const found = known.find((one) => one.metadata.number === number)
        if (found) return found
      }
    }
  }

  /** Parsed events of one response; throws if it is cut. */
  async function* events(path, lastId, signal, onOpen = () => {}) {
    const headers = { ...HEADERS, 'last-event-id': String(lastId) }
    const response = await fetch(next() + path, { headers, signal })
    if (!response.ok || !response.body) throw new Error(`${path}: ${response.status}`)
    answered()
    onOpen()
    const parsed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { id, event, data } of parsed) yield { id, event, data: JSON.parse(data) }
  }

  /** All events of a run that stores them, from the first to the end. */
  async function readRun(threadId, runId) {
    const seen = []
    // A run may wait long for those before it; only a server that cannot be reached for long ends this.
    let failsSince = 0
    const onOpen = () => (failsSince = 0)
    for (; ; reconnects += 1) {
      try {
        const path = `/threads/${threadId}/runs/${runId}/stream`
        for await (const one of events(path, seen.at(-1)?.id ?? -1, undefined, onOpen))
          seen.push({ ...one, id: Number(one.id) })
        if (seen.at(-1)?.event === 'end') return seen
      } catch (error) {
        failsSince ||= Date.now()
        if (isHopeless(failsSince)) throw error
      }
      await sleep(50)
    }
  }

  /** Follows a thread until `close`. `ended` are the ids of the runs whose end was seen, as often as it was. */
  function followThread(threadId) {
    const left = new AbortController()
    const ended = []
    let lastId = '-'
    let opened = () => {}
    const isOpen = new Promise((resolve) => {
      opened = () => resolve(undefined)
    })
    const follow = async () => {
      while (!left.signal.aborted) {
        try {
          setTimeout(opened, 200)
          for await (const { id, event, data } of events(`/threads/${threadId}/stream`, lastId, left.signal)) {
            lastId = id ?? lastId
            if (event === 'end') ended.push(data.run_id)
          }
        } catch {
          if (left.signal.aborted) return
          reconnects += 1
          await sleep(50)
        }
      }
    }
    void follow()
    return { isOpen, ended: () => [...ended], close: () => left.abort() }
  }

  return {
    call,
    createRun,
    readRun,
    followThread,
    get reconnects() {
      return reconnects
    },
  }
}
