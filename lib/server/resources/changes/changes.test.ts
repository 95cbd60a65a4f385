import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type Reply, type Seen, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import type { Actor } from '../../access/actor'
import { withAudit } from '../../audit/trail'
import { signIn, type TestConsole, testActor, testConsole } from '../../testing'
import { exportAudit, readAuditPage, readRecentChanges } from './audit'
import { readFailureCauses } from './failure-causes'

vi.mock('next/headers', () => import('../../access/testing'))

const WORKSPACE = 'default'
const FAILED_AT = new Date(Date.now() + 5_000).toISOString()
const REVISION = {
  ...{ id: 'r', status: 'DEPLOY_FAILED', source_revision_config: {} },
  ...{ created_at: FAILED_AT, updated_at: FAILED_AT },
}
let upstream: StubUpstream
let home: TestConsole
let people: Record<'viewer' | 'admin', Actor>
/** The errors of its logs, oldest first; undefined if they cannot be read. */
let errors: Partial<Record<'build' | 'deploy', string[]>> | undefined

function respond({ path }: Seen): Reply {
  if (path.includes('/logs')) {
    if (!errors) return { status: 500, body: { detail: 'no' } }
    const found = errors[path.includes('type=build') ? 'build' : 'deploy'] ?? []
    const ordered = path.includes('order=desc') ? found.toReversed() : found
    const limit = Number(/limit=(\d+)/.exec(path)?.[1])
    return { body: { logs: ordered.slice(0, limit).map((message) => ({ level: 'ERROR', message })) } }
  }
  if (path.includes('/revisions/'))
    return {
      body: {
        ...REVISION,
        source_revision_config: { ...REVISION.source_revision_config, repo_commit_sha: 'a1b2c3d4' },
        commit: { message: 'Tidy imports\nand more', author: 'Ada', authored_at: REVISION.created_at },
      },
    }
  return { body: { resources: [{ ...deploymentRecord(null), name: '=billing' }], offset: 0 } }
}

const change = (actor: Actor, fields: string[]) =>
  withAudit(
    {
      ...{ actor, role: 'admin', workspace: WORKSPACE, operation: 'control-plane.updateDeployment', fields },
      ...{ params: { deployment_id: SAMPLE_ID }, requestId: 'r' },
    },
    async () => ({ value: null }),
  )

beforeAll(async () => {
  upstream = await startStubUpstream(respond)
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: 'key-of-these-tests' })
  people = { viewer: await testActor({ '*': 'viewer' }), admin: await testActor({ '*': 'admin' }) }
  await change(people.admin, ['secrets', 'secrets.set.A'])
  await change(people.admin, ['secrets', 'secrets.remove.DATABASE_URL'])
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})

describe('changes', () => {
  test('of the audit trail come with the names of their deployments', async () => {
    const { rows, names } = await readAuditPage(WORKSPACE, {}, people.admin)
    expect(rows).toHaveLength(2)
    expect(names.deployments).toEqual({ [SAMPLE_ID]: '=billing' })
    await expect(readAuditPage(WORKSPACE, {}, people.viewer)).rejects.toMatchObject({ code: 'forbidden' })
    for (const query of [{ outcome: 'maybe' }, { since: 'soon' }, { other: '1' }])
      await expect(readAuditPage(WORKSPACE, query, people.admin)).rejects.toMatchObject({ code: 'invalid' })
  })

  test('that were made lately are for all members', async () => {
    const { rows } = await readRecentChanges(WORKSPACE, people.viewer)
    expect(rows.map(({ operation }) => operation)).toEqual(Array(2).fill('control-plane.updateDeployment'))
  })

  test('are exported as sentences that no spreadsheet runs, for administrators only', async () => {
    const fileFor = async (who: Actor, format: string) => {
      await signIn(who)
      const headers = { 'sec-fetch-site': 'same-origin' }
      return exportAudit(new Request(`http://localhost:3000/x?format=${format}&group=secrets`, { headers }), WORKSPACE)
    }
    const [head, ...lines] = (await (await fileFor(people.admin, 'csv')).text()).trim().split('\r\n')
    expect(head).toContain('"action","outcome"')
    expect(lines[0]).toContain('"removed secret DATABASE_URL of =billing","done"')
    const objects = (await (await fileFor(people.admin, 'jsonl')).text()).trim().split('\n')
    expect(objects.map((text) => JSON.parse(text).action)).toEqual([
      'removed secret DATABASE_URL of =billing',
      'set secret A of =billing',
    ])
    expect((await fileFor(people.viewer, 'csv')).status).toBe(403)
  })
})

describe('the causes of a failure', () => {
  const of = `${SAMPLE_ID}.0190a1b2-0000-4000-8000-000000000001`

  test('are the error of its logs, the commit that was built, and the last change before it', async () => {
    errors = { deploy: ['The agent server did not start.\n  Cannot find module zod\nat x'] }
    const found = await readFailureCauses(WORKSPACE, { of }, { actor: people.viewer })
    expect(found[SAMPLE_ID]).toMatchObject({
      error: 'Cannot find module zod',
      change: { fields: expect.arrayContaining(['secrets']) },
      commit: { sha: 'a1b2c3d4', subject: 'Tidy imports', author: 'Ada' },
    })
  })

  const NPM = 'process "/bin/sh -c npm ci" did not complete successfully: exit code: 1'
  test.each<[string, string[], string]>([
    [
      'the command that failed and the line that the builder chose',
      [
        NPM,
        'The command ended with 1: npm ci\nnpm error 404 Not Found - GET https://npm.example.com/a\nCannot install.',
      ],
      'The command ended with 1: npm ci: npm error 404 Not Found - GET https://npm.example.com/a',
    ],
    [
      'what the install command said, though the advice after it has more of the words',
      [
        'The install command ended with 1.\n➤ YN0082: │ zod@npm:99.0.0: No candidates found\nThe registry cannot be reached.',
      ],
      'The install command ended with 1: ➤ YN0082: │ zod@npm:99.0.0: No candidates found',
    ],
    [
      'the reason of git among what it said',
      ["git fetch ended with 128.\nCloning into 'x'...\nfatal: couldn't find remote ref main\nPlease check."],
      "git fetch ended with 128: fatal: couldn't find remote ref main",
    ],
    [
      'only the command, if it said nothing',
      ['The build command did not end within 900 s.'],
      'The build command did not end within 900 s.',
    ],
    [
      'of another builder, the first error that tells more',
      [NPM, 'Cannot pull the image', 'The build failed'],
      'Cannot pull the image',
    ],
    ['of another builder that tells no more, that', [NPM], NPM],
  ])('of a build are %s', async (_, build, cause) => {
    errors = { build, deploy: ['later'] }
    expect((await readFailureCauses(WORKSPACE, { of }, { actor: people.viewer }))[SAMPLE_ID]?.error).toBe(cause)
  })

  test('are unknown, and no error, where the logs cannot be read', async () => {
    errors = undefined
    expect((await readFailureCauses(WORKSPACE, { of }, { actor: people.viewer }))[SAMPLE_ID]?.error).toBeNull()
  })

  test('need a role and a well-formed request', async () => {
    const stranger = await testActor({ other: 'admin' })
    await expect(readFailureCauses(WORKSPACE, { of }, { actor: stranger })).rejects.toMatchObject({ code: 'not_found' })
    await expect(readFailureCauses(WORKSPACE, { of: 'x' }, { actor: people.viewer })).rejects.toMatchObject({
      code: 'invalid',
    })
  })
})
