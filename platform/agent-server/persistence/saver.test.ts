import {
  type CheckpointSaverTestInitializer,
  deltaChannelHistoryTests,
  validate,
} from '@langchain/langgraph-checkpoint-validation'
import * as vitest from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { Db } from './db'
import { AgentSaver } from './saver'

// The library's own checkpointer tests, which expect their runner's functions as globals.

Object.assign(globalThis, vitest)

let database: Awaited<ReturnType<typeof testDatabase>>
let db: Db

const initializer: CheckpointSaverTestInitializer<AgentSaver> = {
  checkpointerName: 'AgentSaver',
  beforeAll: async () => {
    database = await testDatabase()
    db = new Db(database.url, 'agent_test', () => {})
    await db.migrate(() => new AgentSaver(db).setup())
  },
  beforeAllTimeout: 30_000,
  afterAll: async () => {
    await db.close()
    await database.drop()
  },
  createCheckpointer: () => new AgentSaver(db),
  // Each test sees its own checkpoints only.
  destroyCheckpointer: async () => {
    for (const table of ['checkpoints', 'checkpoint_blobs', 'checkpoint_writes']) await db.query(`delete from ${table}`)
  },
}

validate(initializer)
deltaChannelHistoryTests(initializer)
