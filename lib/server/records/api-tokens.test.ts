import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditSentence, namedSentence } from '@/lib/contracts/audit/sentence'
import type { Actor } from '../access/actor'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { createToken, revokeToken } from './api-tokens'
import { listAudit } from './audit'

let home: TestConsole
let admin: Actor
beforeAll(async () => {
  home = await testConsole()
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'tokens', name: 'Tokens', dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: 'http://127.0.0.1:1', keys: { apiKey: 'key' } },
    }),
  )
  admin = await testActor({ tokens: 'admin' })
})
afterAll(() => home.close())

test('the trail names tokens as their list does, and keeps their ids', async () => {
  const wanted = { workspace: 'tokens', role: 'viewer', deployments: null, days: 7 } as const
  const { id } = await createToken(admin, { ...wanted, name: 'nightly', kind: 'personal' }, 'r')
  await revokeToken(admin, { workspace: 'tokens', id }, 'r')
  await createToken(admin, { ...wanted, name: 'robot', kind: 'service' }, 'r')
  const { rows } = await listAudit(admin, { workspace: 'tokens' })
  const names = { accounts: {}, deployments: {} }
  expect(rows.map((row) => namedSentence(auditSentence(row, row.outcome), names))).toEqual([
    'created service account robot',
    'revoked API token nightly',
    'created personal API token nightly',
  ])
  expect(rows.slice(1).map(({ params }) => params.token)).toEqual([id, id])
})
