import path from 'node:path'
import { expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { startLoad } from '../testing/load.mjs'
import { createClient, createRepository, waitFor } from '../testing/platform-fixture'
import { startProgram } from '../testing/program.mjs'
import { testFolder } from '../testing/test-folder'
import { tickerFiles } from '../testing/ticker.mjs'

// A longer run with other settings: node scripts/checks/load-rollout.mjs.
test('a roll-out under load fails no request and loses or duplicates no event', async () => {
  const folder = testFolder()
  const database = await testDatabase()
  const { child, ready, ended } = await startProgram({
    dataDir: path.join(folder.path, 'data'),
    databaseUrl: database.url,
  })
  try {
    const client = createClient(ready)
    const repository = createRepository(path.join(folder.path, 'ticker'))
    repository.commit(tickerFiles())
    const { body } = await client.create('ticker', repository.url)
    await client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')

    const load = startLoad({
      base: `${ready.url}/agents/${body.id}`,
      apiKey: ready.apiKey,
      rate: 60,
      streams: 20,
      longest: 50,
    })
    const deployed = [body.latest_revision_id as string]
    /** Independent of this machine's speed: each stream is open, and the revision has responded often. */
    const underLoad = (revision: string) =>
      waitFor('it is under load', () => load.figures.streams >= 20 && (load.revisions[revision] ?? 0) >= 10)
    await underLoad(body.latest_revision_id)
    repository.commit(tickerFiles('second'))
    const { body: revision } = await client.request('POST', `/v2/deployments/${body.id}/revisions`, {})
    await client.waitForStatus(body.id, revision.id, 'DEPLOYED')
    deployed.push(revision.id)
    await underLoad(revision.id)
    const { failures, ...figures } = await load.stop()
    expect(failures).toEqual([])
    expect(figures).toMatchObject({ failed: 0, cut: 0, lost: 0, doubled: 0 })
    // Both have responded; otherwise nothing was switched under load.
    expect(Object.keys(load.revisions).sort()).toEqual(deployed.sort())
  } finally {
    child.kill('SIGTERM')
    await ended
    await database.drop()
    folder.remove()
  }
}, 120_000)
