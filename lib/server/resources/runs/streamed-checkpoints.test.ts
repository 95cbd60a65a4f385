import { afterAll, expect, test } from 'vitest'
import { DEFAULT_STREAM_MODES } from '@/lib/contracts/wire/stream-modes'
import { forkPointAt } from '@/lib/stream/checkpoint'
import { EntryLog } from '@/lib/stream/entry-log'
import { recorderHub } from '../../recorder/shared-hub'
import { startRecording } from '../../recorder/start'
import { until } from '../../recorder/testing'
import { exportRecording, readRecording } from '../../records/recordings'
import { testAgentConsole } from '../testing'

const { server, at, developer: actor, close } = await testAgentConsole({ isDirect: true })
afterAll(async () => {
  await recorderHub().stop()
  await close()
})

type State = { values: unknown; checkpoint: { checkpoint_id: string }; tasks: { id: string }[] }

test.each([
  ['the default modes', [...DEFAULT_STREAM_MODES]],
  ['checkpoints', ['values' as const, 'checkpoints' as const]],
])('with %s, the checkpoint to fork a streamed state from holds just that state', async (_, stream_mode) => {
  const { workspace } = at
  const body = { assistant_id: 'counter', input: { until: 3 }, stream_mode }
  const { id: recording } = await startRecording({ actor, ...at, thread: { kind: 'new' }, body })
  const ended = await until(async () => {
    const found = await readRecording(actor, { workspace, recording })
    return found.phase === 'ended' && found
  })
  const log = new EntryLog(10_000_000)
  for await (const entries of exportRecording(actor, { workspace, recording })) for (const one of entries) log.push(one)
  const history: State[] = (await server.post(`/threads/${ended.thread}/history`, { limit: 100 })).json
  let checked = 0
  for (let seq = 1; seq <= log.last; seq++) {
    const entry = log.at(seq)
    const point = forkPointAt(log, seq)
    if (entry?.kind !== 'event' || entry.event !== 'values' || !point || point.seq !== seq) continue
    const found = history.find(({ checkpoint, tasks }) =>
      'task' in point ? tasks.some(({ id }) => id === point.task) : checkpoint.checkpoint_id === point.checkpoint,
    )
    expect(found?.values).toEqual(JSON.parse(entry.data))
    checked++
  }
  expect(checked).toBeGreaterThanOrEqual(3)
})
