import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  awaitedOf,
  DEPLOYMENT_STATUSES,
  deploymentHealth,
  isRevisionInProgress,
  isRevisionTerminal,
  mayDeployment,
  mayRevision,
  mayRun,
  REVISION_STATUSES,
  RUN_STATUSES,
  restingStatus,
  revisionLabel,
} from './state'

describe('health', () => {
  const health = (status: string, latest: string | null, active: boolean | 'latest', latestRevisionStatus?: string) =>
    deploymentHealth({
      deployment: {
        status,
        latest_revision_id: latest,
        active_revision_id: active === 'latest' ? latest : active ? 'earlier' : null,
      },
      latestRevisionStatus,
    }).level

  test.each([
    ['READY', 'r', 'latest', 'DEPLOYED', 'ok'],
    ['READY', 'r', 'latest', undefined, 'ok'],
    ['READY', 'r', true, undefined, 'unknown'],
    ['READY', 'r', true, 'DEPLOYED', 'ok'],
    ['READY', 'r', true, 'BUILDING', 'progress'],
    ['READY', 'r', false, 'QUEUED', 'progress'],
    ['READY', 'r', true, 'BUILD_FAILED', 'warn'],
    ['READY', 'r', false, 'BUILD_FAILED', 'error'],
    ['READY', 'r', false, 'DEPLOY_FAILED', 'error'],
    ['READY', 'r', true, 'INTERRUPTED', 'warn'],
    ['READY', 'r', true, 'SKIPPED', 'warn'],
    ['READY', 'r', false, 'SKIPPED', 'error'],
    ['READY', null, false, undefined, 'unknown'],
    ['READY', 'r', 'latest', 'SOMETHING_NEW', 'unknown'],
    ['AWAITING_DATABASE', 'r', false, 'CREATING', 'progress'],
    ['AWAITING_DELETE', 'r', 'latest', 'DEPLOYED', 'progress'],
    ['UNUSED', 'r', 'latest', 'DEPLOYED', 'unknown'],
    ['UNKNOWN', 'r', 'latest', 'DEPLOYED', 'unknown'],
    ['SOMETHING_NEW', 'r', 'latest', 'DEPLOYED', 'unknown'],
  ] as const)('%s, latest %s, serving %s, latest revision %s: %s', (status, latest, active, revision, level) => {
    expect(health(status, latest, active, revision)).toBe(level)
  })

  const since = '2026-11-25T14:02:00.000Z'
  const away = { name: 'east', away: { who: 'listener' as const, since } }
  test.each([
    ['READY', 'r', 'r', 'DEPLOYED', 'unknown No word', `No word from the listener east since ${since}. Its agents may`],
    ['READY', 'r', null, 'DEPLOYING', 'unknown No word', `No word from the listener east since ${since}. The roll-out`],
    ['READY', 'r', 'q', 'DEPLOY_FAILED', 'warn Roll-out failed', 'An earlier revision may serve.'],
    ['READY', 'r', null, 'DEPLOY_FAILED', 'error Roll-out failed', `No word from the listener east since ${since}.`],
    ['READY', 'r', null, 'INTERRUPTED', 'unknown No word', `No word from the listener east since ${since}.`],
    ['AWAITING_DELETE', 'r', 'r', 'DEPLOYED', 'progress Deleting', 'is removed afterwards'],
    ['READY', null, null, null, 'unknown No revision', 'so nothing is serving'],
  ])(
    'while its listener is away: %s, latest %s, serving %s, %s is %s',
    (status, latest, active, revision, said, part) => {
      const deployment = { status, latest_revision_id: latest, active_revision_id: active, listener: away }
      const { level, label, detail } = deploymentHealth({ deployment, latestRevisionStatus: revision })
      expect(`${level} ${label}`).toBe(said)
      expect(detail).toContain(part)
      expect(detail).not.toMatch(/keeps serving|and serving/)
    },
  )

  test('a cluster that is away is told from its listener, and a listener that never came from one that left', () => {
    const detail = (listener: NonNullable<Parameters<typeof deploymentHealth>[0]['deployment']['listener']>) =>
      deploymentHealth({ deployment: { status: 'READY', latest_revision_id: 'r', active_revision_id: 'r', listener } })
    expect(detail({ name: 'east', away: { who: 'cluster', since } })).toMatchObject({
      since,
      detail: expect.stringContaining(`No word from the cluster of the listener east since ${since}.`),
    })
    const never = detail({ name: 'east', away: { who: 'listener', since: null } })
    expect(never.detail).toBe('The listener east has never connected. Its agents may still serve.')
    expect(never).not.toHaveProperty('since')
    expect(detail({ name: 'east', away: null }).label).toBe('Healthy')
  })

  test('a roll-out waits for a listener that is away, and a build does not', () => {
    const away = (who: 'listener' | 'cluster') => ({ name: 'east', away: { who, since } })
    expect(awaitedOf('DEPLOYING', away('listener'))).toEqual({ subject: 'the listener east', since })
    expect(awaitedOf('QUEUED', away('cluster'))).toEqual({ subject: 'the cluster of the listener east', since })
    for (const status of ['BUILDING', 'AWAITING_BUILD', 'DEPLOYED', 'DEPLOY_FAILED', 'ELSE'])
      expect(awaitedOf(status, away('listener'))).toBeUndefined()
    expect(awaitedOf('DEPLOYING', { name: 'east', away: null })).toBeUndefined()
  })

  test('every combination has a label and a sentence, and only a READY deployment that serves is ok', () => {
    const status = fc.oneof(fc.constantFrom(...DEPLOYMENT_STATUSES), fc.string({ minLength: 1 }))
    const revision = fc.option(fc.oneof(fc.constantFrom(...REVISION_STATUSES), fc.string({ minLength: 1 })))
    const id = fc.option(fc.constantFrom('a', 'b'))
    fc.assert(
      fc.property(status, revision, id, id, (status, latestRevisionStatus, latest_revision_id, active_revision_id) => {
        const result = deploymentHealth({
          deployment: { status, latest_revision_id, active_revision_id },
          latestRevisionStatus,
        })
        expect(result.label).not.toBe('')
        expect(result.detail).toMatch(/\.$/)
        if (result.level !== 'ok') return
        expect(status).toBe('READY')
        // After a roll-back the active revision is not the latest.
        expect(active_revision_id === latest_revision_id || latestRevisionStatus === 'DEPLOYED').toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('verbs', () => {
  test('every known revision status is in progress, terminal, or unknown', () => {
    for (const status of REVISION_STATUSES)
      expect(
        [isRevisionInProgress(status), isRevisionTerminal(status), status === 'UNKNOWN'].filter(Boolean),
      ).toHaveLength(1)
  })

  test.each(REVISION_STATUSES)(
    'a revision that is %s can be interrupted only while in progress, and redeployed only after its end',
    (status) => {
      expect(mayRevision('interrupt', status).allowed).toBe(isRevisionInProgress(status))
      expect(mayRevision('redeploy', status).allowed).toBe(isRevisionTerminal(status))
      if (isRevisionInProgress(status))
        expect(mayRevision('redeploy', status)).toEqual({
          allowed: false,
          reason: expect.stringContaining('in progress'),
        })
    },
  )

  test.each([...RUN_STATUSES, 'new'])('a run that is %s can be cancelled or deleted, not both', (status) => {
    expect(mayRun('cancel', status).allowed).toBe(!mayRun('delete', status).allowed)
    expect(mayRun('cancel', status).allowed).toBe(['pending', 'running'].includes(status))
  })

  test('a deployment that is being deleted can only be force-deleted', () => {
    expect(mayDeployment('update', 'READY')).toEqual({ allowed: true })
    expect(mayDeployment('delete', 'AWAITING_DELETE').allowed).toBe(false)
    expect(mayDeployment('forceDelete', 'AWAITING_DELETE').allowed).toBe(true)
    expect(mayDeployment('forceDelete', 'READY').allowed).toBe(false)
  })
})

const CANCELLED = { error: 'UserInterrupt', message: 'interrupt requested' }
test.each([
  ['one cancelled on a Python server', { status: 'interrupted', error: CANCELLED, interrupts: {} }, 'idle'],
  [
    'one cancelled there, by its whole record',
    { status: 'interrupted', error: CANCELLED, interrupts: { t: [] } },
    'idle',
  ],
  ['one at a breakpoint', { status: 'interrupted', error: null, interrupts: {} }, 'interrupted'],
  ['one with a question', { status: 'interrupted', error: CANCELLED, interrupts: { t: [{}] } }, 'interrupted'],
  ['one that runs again', { status: 'busy', error: CANCELLED }, 'busy'],
  ['one that failed', { status: 'error', error: { error: 'ValueError' } }, 'error'],
  ['an unknown one', {}, undefined],
])('the status of a thread: %s', (_, thread, status) => {
  expect(restingStatus(thread)).toBe(status)
})

test.each([
  [{ status: 'READY', latest_revision_id: 'r' }, 'AWAITING_DEPLOY', 'Waiting to roll out: Nothing is serving yet.'],
  [
    { status: 'READY', latest_revision_id: 'r', active_revision_id: 'p' },
    'BUILDING',
    'Building: An earlier revision keeps serving.',
  ],
  [
    { status: 'READY', latest_revision_id: 'r', active_revision_id: 'p' },
    'BUILD_FAILED',
    'Build failed: The latest revision failed while building; the build log has the reason. An earlier revision keeps serving.',
  ],
  [
    { status: 'READY', latest_revision_id: 'r' },
    'CREATE_FAILED',
    'Create failed: The latest revision failed before its build began. Nothing is serving yet.',
  ],
  [
    { status: 'READY', latest_revision_id: 'r' },
    'SKIPPED',
    'Skipped: The latest revision was superseded by a newer one. Nothing is serving yet.',
  ],
  [
    { status: 'READY', latest_revision_id: 'r', active_revision_id: 'p' },
    'INTERRUPTED',
    'Interrupted: The latest revision was interrupted by a user. An earlier revision keeps serving.',
  ],
  [{ status: 'READY' }, null, 'No revision: It has no revision yet, so nothing is serving.'],
  [
    { status: 'READY', source: 'external' },
    null,
    'Attached: It runs elsewhere, and this workspace has its address. Its System page shows whether it responds.',
  ],
  [{ status: 'AWAITING_DELETE' }, null, 'Deleting: It was deleted; its resources are being removed.'],
  [
    { status: 'AWAITING_DATABASE' },
    null,
    'Waiting for database: Its database is being created. This can take minutes.',
  ],
  [
    { status: 'UNUSED', latest_revision_id: 'r', active_revision_id: 'r' },
    'DEPLOYED',
    'Unused: The platform marks it as unused.',
  ],
  [
    { status: 'READY', latest_revision_id: 'r', active_revision_id: 'p' },
    'DEPLOYED',
    'Healthy: An earlier revision serves, as after a roll-back. The latest one was rolled out too.',
  ],
  [
    { status: 'READY', latest_revision_id: 'r', active_revision_id: 'r' },
    'DEPLOYED',
    'Healthy: The latest revision is rolled out and serving.',
  ],
  [
    { status: 'A_NEWER_ONE', latest_revision_id: 'r', active_revision_id: 'r' },
    'DEPLOYED',
    'A newer one: The latest revision is rolled out; the deployment says A_NEWER_ONE.',
  ],
  [
    { status: 'READY', latest_revision_id: 'r', active_revision_id: 'p' },
    'ON_HOLD',
    'On hold: A revision is serving; the state of the latest one is unknown.',
  ],
  [{ status: 'READY', latest_revision_id: 'r' }, 'ON_HOLD', 'On hold: Its state is unknown.'],
  [{ status: 'READY', latest_revision_id: 'r' }, 'DEPLOYED', 'Healthy: The latest revision is rolled out and serving.'],
  [
    { status: 'READY', active_revision_id: 'p' },
    null,
    'Ready: A revision is serving; the state of the latest one is unknown.',
  ],
] as const)('%j with the latest revision %s is shown as "%s"', (deployment, latestRevisionStatus, shown) => {
  const { label, detail } = deploymentHealth({ deployment, latestRevisionStatus })
  expect(`${label}: ${detail}`).toBe(shown)
})

test('every known status of a revision has words, and an unknown one is shown as it is', () => {
  const words = REVISION_STATUSES.map(revisionLabel)
  expect(words).toEqual([
    ...['Creating', 'Queued', 'Waiting to build', 'Building', 'Waiting to roll out', 'Rolling out', 'Deployed'],
    ...['Create failed', 'Build failed', 'Roll-out failed', 'Skipped', 'Interrupted', 'UNKNOWN'],
  ])
  expect(revisionLabel('A_NEWER_ONE')).toBe('A_NEWER_ONE')
})

test('what is not allowed has its reason', () => {
  const no = (reason: string) => ({ allowed: false, reason })
  expect(mayRevision('redeploy', 'UNKNOWN')).toEqual(no('Its state is unknown, so it may still be in progress.'))
  expect(mayRevision('interrupt', 'DEPLOYED')).toEqual(no('It has ended, so there is nothing to interrupt.'))
  expect(mayDeployment('delete', 'AWAITING_DELETE')).toEqual(no('It is being deleted.'))
  expect(mayRun('delete', 'running')).toEqual(no('It is still in progress. Cancel it first.'))
})
