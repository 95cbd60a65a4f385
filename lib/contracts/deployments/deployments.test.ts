import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toValidationError } from '../wire/http-validation-error'
import {
  appliesTo,
  commandProblem,
  createProblems,
  type DeploymentFields,
  isTagRef,
  nameAdvice,
  nameProblem,
  patchMakesRevision,
  patchProblems,
  RESERVED_SECRET_NAMES,
  SELF_HOSTED_SECRET_NAMES,
  secretProblems,
  tagProblems,
} from './deployment-rules'
import { DeploymentCreate, DeploymentPatch, FreeCount, SourceConfig, UploadPlace } from './deployments'

const UUID = '0190a000-0000-7000-8000-000000000001'
const github = {
  name: 'chat-agent',
  source: 'github',
  source_config: {
    integration_id: UUID,
    repo_url: 'https://example.com/a/b',
    deployment_type: 'dev',
    build_on_push: false,
  },
  source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
  secrets: [{ name: 'GREETING', value: 'hello' }],
} as const
const docker = {
  name: 'chat-agent',
  source: 'external_docker',
  source_config: { listener_id: UUID, resource_spec: { cpu: 1 } },
  source_revision_config: { image_uri: 'registry/agent:1' },
  secrets: [],
} as const
/** `type loc` of each rejected field, as in the upstream's response. */
function refusals(
  schema: { safeParse(value: unknown): ReturnType<typeof DeploymentPatch.safeParse> },
  value: unknown,
): string[] {
  const parsed = schema.safeParse(value)
  if (parsed.success) return []
  return toValidationError(parsed.error, 'body').detail.map(({ type, loc }) => `${type} ${loc.join('.')}`)
}
const createRefusals = (value: unknown) => refusals(DeploymentCreate as never, value)
const patchRefusals = (value: unknown) => refusals(DeploymentPatch, value)

describe('create', () => {
  const name = fc.string({ minLength: 1, maxLength: 128 }).filter((value) => nameProblem(value) === undefined)
  const secretName = fc
    .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/)
    .filter((value) => !RESERVED_SECRET_NAMES.has(value) && !SELF_HOSTED_SECRET_NAMES.has(value))
  const secrets = fc.uniqueArray(fc.record({ name: secretName, value: fc.string() }), {
    selector: (secret) => secret.name,
    maxLength: 5,
  })

  test('a complete deployment of each source passes, unchanged', () => {
    fc.assert(
      fc.property(
        name,
        secrets,
        fc.constantFrom(github, docker),
        fc.stringMatching(/^[a-z/]{1,20}$/),
        (name, secrets, base, ref) => {
          const revision =
            base.source === 'github' ? { ...base.source_revision_config, repo_ref: ref } : base.source_revision_config
          const body = { ...base, name, secrets, source_revision_config: revision }
          expect(DeploymentCreate.parse(body)).toEqual(body)
        },
      ),
    )
  })

  test('fields that a source does not use may be sent as null', () => {
    const body = {
      ...github,
      source_config: {
        ...github.source_config,
        custom_url: null,
        resource_spec: null,
        listener_id: null,
        listener_config: null,
      },
      source_revision_config: { ...github.source_revision_config, image_uri: null },
      secret_references: null,
    }
    expect(createRefusals(body)).toEqual([])
  })

  test.each([
    ['github', 'source_config', 'integration_id'],
    ['github', 'source_config', 'repo_url'],
    ['github', 'source_config', 'deployment_type'],
    ['github', 'source_config', 'build_on_push'],
    ['github', 'source_revision_config', 'repo_ref'],
    ['github', 'source_revision_config', 'graph_config_path'],
    ['external_docker', 'source_revision_config', 'image_uri'],
  ] as const)('%s needs %s.%s', (source, group, key) => {
    const base: Record<string, unknown> & Record<typeof group, object> = structuredClone(
      source === 'github' ? github : docker,
    )
    base[group] = { ...base[group], [key]: null }
    expect(createRefusals(base)).toEqual([`missing body.${group}.${key}`])
  })

  test('a missing field is named', () => {
    expect(createRefusals({ source: 'github' })).toEqual([
      'missing body.name',
      'missing body.source_config',
      'missing body.source_revision_config',
    ])
    const { secrets: _, ...withoutSecrets } = github
    expect(createRefusals(withoutSecrets)).toEqual(['missing body.secrets'])
  })

  test.each([
    ['github', 'source_config', 'custom_url', 'https://example.com'],
    ['github', 'source_config', 'resource_spec', { cpu: 1 }],
    ['github', 'source_config', 'listener_id', UUID],
    ['github', 'source_config', 'listener_config', { k8s_namespace: 'x' }],
    ['github', 'source_revision_config', 'image_uri', 'registry/agent:1'],
    ['external_docker', 'source_config', 'integration_id', UUID],
    ['external_docker', 'source_config', 'repo_url', 'https://example.com/a'],
    ['external_docker', 'source_config', 'deployment_type', 'dev'],
    ['external_docker', 'source_config', 'build_on_push', true],
    ['external_docker', 'source_revision_config', 'repo_ref', 'main'],
    ['external_docker', 'source_revision_config', 'graph_config_path', 'graph.json'],
  ] as const)('%s cannot have %s.%s', (source, group, key, value) => {
    const base: Record<string, unknown> & Record<typeof group, object> = structuredClone(
      source === 'github' ? github : docker,
    )
    base[group] = { ...base[group], [key]: value }
    expect(createRefusals(base)).toEqual([`value_error body.${group}.${key}`])
  })

  test('build_on_push is refused with a tag, and allowed with a branch of a similar name', () => {
    const of = (repo_ref: string, build_on_push: boolean) => ({
      ...github,
      source_config: { ...github.source_config, build_on_push },
      source_revision_config: { ...github.source_revision_config, repo_ref },
    })
    expect(createRefusals(of('refs/tags/v1', true))).toEqual(['value_error body.source_config.build_on_push'])
    expect(createRefusals(of('refs/tags/v1', false))).toEqual([])
    expect(createRefusals(of('tags/v1', true))).toEqual([])
  })

  test.each(['id', 'status', 'latest_revision_id', 'created_at', 'image_version'])(
    'the read-only field %s is refused',
    (field) => {
      expect(createRefusals({ ...github, [field]: 'x' })).toEqual([`extra_forbidden body.${field}`])
    },
  )

  test('the commit is read-only', () => {
    const body = { ...github, source_revision_config: { ...github.source_revision_config, repo_commit_sha: 'abc' } }
    expect(createRefusals(body)).toEqual(['extra_forbidden body.source_revision_config.repo_commit_sha'])
  })

  test.each(['', ' a', 'a ', 'a/b', 'a\u202eb', 'a\nb', 'x'.repeat(129)])('the name %j is refused', (name) => {
    expect(createRefusals({ ...github, name })).toEqual(['value_error body.name'])
  })

  test('an unknown source or type is refused with a list of the known ones', () => {
    const parsed = DeploymentCreate.safeParse({ ...github, source: 'gitlab' })
    expect(toValidationError(parsed.error as never, 'body').detail).toEqual([
      {
        loc: ['body', 'source'],
        msg: "Input should be 'github', 'external_docker', 'internal_docker' or 'internal_source'",
        type: 'enum',
      },
    ])
  })
})

describe('secrets', () => {
  test.each([
    [
      [
        { name: 'A', value: '' },
        { name: 'B', value: '' },
        { name: 'A', value: '' },
      ],
      2,
    ],
    [[{ name: '1A', value: '' }], 0],
    [[{ name: 'A-B', value: '' }], 0],
    [[{ name: 'DATABASE_URI', value: '' }], 0],
    [[{ name: 'PORT', value: '' }], 0],
  ])('%j is refused at item %i', (secrets, index) => {
    expect(createRefusals({ ...github, secrets })).toEqual([`value_error body.secrets.${index}.name`])
  })

  test('a self-hosted deployment may set names reserved on hosted ones', () => {
    expect(createRefusals({ ...docker, secrets: [{ name: 'PORT', value: '80' }] })).toEqual([])
  })

  test('no error message quotes a submitted value', () => {
    const parsed = DeploymentCreate.safeParse({
      ...github,
      secrets: [
        { name: 'A', value: 'canary-1' },
        { name: 'A', value: ['canary-2'] },
      ],
    })
    expect(JSON.stringify(toValidationError(parsed.error as never, 'body'))).not.toContain('canary')
  })
})

describe('update', () => {
  test.each([
    [{ name: 'b' }, 'extra_forbidden body.name'],
    [{ source: 'github' }, 'extra_forbidden body.source'],
    [{ source_config: { integration_id: UUID } }, 'extra_forbidden body.source_config.integration_id'],
    [{ source_config: { repo_url: 'x' } }, 'extra_forbidden body.source_config.repo_url'],
    [{ source_config: { deployment_type: 'prod' } }, 'extra_forbidden body.source_config.deployment_type'],
    [{ source_config: { listener_id: UUID } }, 'extra_forbidden body.source_config.listener_id'],
    [
      { source_config: { listener_config: { k8s_namespace: 'x' } } },
      'extra_forbidden body.source_config.listener_config.k8s_namespace',
    ],
    [
      { source_revision_config: { repo_commit_sha: 'x' } },
      'extra_forbidden body.source_revision_config.repo_commit_sha',
    ],
  ])('%j contains a field that cannot change', (patch, refusal) => {
    expect(patchRefusals(patch)).toEqual([refusal])
  })

  test('an empty update, and every changeable field, is accepted', () => {
    expect(patchRefusals({})).toEqual([])
    const all = {
      source_config: {
        build_on_push: true,
        custom_url: 'https://a.example',
        resource_spec: {},
        install_command: 'npm ci && npm test',
        build_command: null,
      },
      source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json', image_uri: 'x' },
      secrets: [{ name: 'A', value: 'b' }],
      secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }],
    }
    expect(patchRefusals(all)).toEqual([])
  })

  test('the rule for tags applies to stored and sent fields together', () => {
    const stored = {
      source: 'github',
      source_config: { build_on_push: true },
      source_revision_config: { repo_ref: 'main' },
    }
    const tag = { source_revision_config: { repo_ref: 'refs/tags/v1' } }
    expect(patchProblems(stored, tag).map(({ path }) => path.join('.'))).toEqual(['source_config.build_on_push'])
    expect(patchProblems(stored, { ...tag, source_config: { build_on_push: false } })).toEqual([])
    expect(patchProblems(stored, { source_config: { build_on_push: null } })).toEqual([])
    expect(patchRefusals({ ...tag, source_config: { build_on_push: true } })).toEqual([
      'value_error body.source_config.build_on_push',
    ])
  })

  test('an unknown source is left to its server', () => {
    expect(patchProblems({ source: 'internal_template' }, { source_config: { resource_spec: {} } })).toEqual([])
  })

  test.each([
    [{}, false],
    [{ source_config: { build_on_push: true } }, false],
    [{ source_config: { resource_spec: null } }, false],
    [{ secrets: null }, false],
    [{ source_revision_config: {} }, false],
    [{ secrets: [] }, true],
    [{ secret_references: [] }, true],
    [{ source_config: { resource_spec: {} } }, true],
    [{ source_revision_config: { repo_ref: 'main' } }, true],
    [{ source_revision_config: { graph_config_path: 'g' } }, true],
    [{ source_revision_config: { image_uri: 'i' } }, true],
  ])('%j creates a revision: %s', (patch, makes) => {
    expect(patchMakesRevision(patch)).toBe(makes)
  })
})

test.each(['npm ci', 'npm ci && npm run build', 'pnpm install --frozen-lockfile'])(
  'the command %j is accepted',
  (command) => {
    expect(commandProblem(command)).toBeUndefined()
  },
)
test.each([
  'a; b',
  'a | b',
  'a & b',
  'a &&& b',
  'echo $HOME',
  'a > b',
  'a\nb',
  'a `b`',
  'a "b"',
  'a\\b',
  'a\tb',
  'a\0b',
])('the command %j is refused', (command) => {
  expect(commandProblem(command)).toBeTypeOf('string')
  expect(patchRefusals({ source_config: { install_command: command } })).toEqual([
    'value_error body.source_config.install_command',
  ])
})

test('a create form reports exactly the problems that the schema refuses', () => {
  const bad = { ...github, source_config: {}, secrets: [{ name: '1', value: '' }] }
  expect(createProblems('github', bad).map(({ type, path }) => `${type} body.${path.join('.')}`)).toEqual(
    createRefusals(bad),
  )
})

test.each([
  ['https://git:hunter2secret@git.example.com/a.git', 'https://git.example.com/a.git'],
  ['https://hunter2secret@git.example.com/a.git', 'https://git.example.com/a.git'],
  ['https://a:b@hunter2secret@git.example.com/a.git', 'https://git.example.com/a.git'],
  ['ssh://git:hunter2secret@git.example.com/a.git', 'ssh://git@git.example.com/a.git'],
])('credentials in a repository address are refused, and never shown: %s', (given, shown) => {
  const problem = DeploymentCreate.shape.source_config.shape.repo_url.safeParse(given)
  expect(problem.success).toBe(false)
  expect(JSON.stringify(problem.error?.issues)).not.toContain('hunter2secret')
  expect(SourceConfig.parse({ repo_url: given }).repo_url).toBe(shown)
})

test.each([
  'ssh://git@git.example.com/a.git',
  'git@git.example.com:a.git',
  'https://git.example.com/@scope/a',
  '/srv/a@b',
])('a repository address without credentials is kept as it is: %s', (url) => {
  expect(DeploymentCreate.shape.source_config.shape.repo_url.safeParse(url).success).toBe(true)
  expect(SourceConfig.parse({ repo_url: url }).repo_url).toBe(url)
})

describe('sources of tools', () => {
  const tool = { name: 'a', source_config: { deployment_type: 'dev_zero' }, source_revision_config: {} }
  const problems = (source: Parameters<typeof createProblems>[0], fields: object) =>
    createProblems(source, { ...tool, ...fields }).map(({ type, path }) => `${type} ${path.join('.')}`)

  test('can scale to zero, and others cannot', () => {
    expect(problems('internal_source', {})).toEqual([])
    expect(problems('internal_docker', {})).toEqual([])
    const github = createProblems('github', { source_config: { deployment_type: 'dev_zero' } })
    expect(github).toContainEqual({
      path: ['source_config', 'deployment_type'],
      message: "Input should be 'dev_free', 'dev', 'prod'",
      type: 'enum',
    })
    expect(createProblems('github', {}).map(({ type }) => type)).not.toContain('enum')
  })
  test('name an upload only once there is a deployment to upload to', () => {
    const upload = { source_revision_config: { source_tarball_path: 'x' } }
    const path = 'source_revision_config.source_tarball_path'
    expect(problems('internal_source', upload)).toEqual([`value_error ${path}`])
    expect(problems('internal_source', { source_revision_config: { source_tarball_path: '' } })).toEqual([])
    expect(problems('internal_docker', upload)).toEqual([`value_error ${path}`])
    expect(patchProblems({ source: 'internal_source' }, upload)).toEqual([])
  })
  test('are not affected by empty fields that they cannot have', () => {
    expect(problems('internal_source', { source_config: { deployment_type: 'dev', repo_url: '' } })).toEqual([])
  })
})

test('an update keeps what it does not give when its rules are checked', () => {
  const stored = {
    source: 'github',
    source_config: { build_on_push: true },
    source_revision_config: { repo_ref: 'refs/tags/v1' },
  }
  const isRefused = (patch: DeploymentFields) => patchProblems(stored, patch).length > 0
  expect(isRefused({})).toBe(true)
  expect(isRefused({ source_config: { build_on_push: undefined } })).toBe(true)
  expect(isRefused({ source_config: { build_on_push: null }, source_revision_config: null })).toBe(true)
  expect(isRefused({ source_revision_config: { repo_ref: 'main' } })).toBe(false)
  expect(patchProblems({ source: 'github', source_config: null }, {})).toEqual([])
})

test('only text can be a tag', () => {
  const fields = (repo_ref: unknown) => ({
    source_config: { build_on_push: true },
    source_revision_config: { repo_ref },
  })
  expect(['refs/tags/v1', 'refs/heads/refs/tags/', 7, null].map((ref) => tagProblems(fields(ref)).length)).toEqual([
    1, 0, 0, 0,
  ])
  expect([isTagRef(null), isTagRef(undefined), isTagRef(''), isTagRef('refs/tags/')]).toEqual([
    false,
    false,
    false,
    true,
  ])
})

test.each([
  ['', 'Enter a name'],
  ['  ', 'Enter a name'],
  [' a', 'A name cannot begin or end with a space'],
  ['a'.repeat(129), 'A name has at most 128 characters'],
  ['a/b', 'A name cannot contain slashes or invisible characters'],
  ['a'.repeat(128), undefined],
])('the problem with the name %j is %j', (name, problem) => {
  expect(nameProblem(name)).toBe(problem)
})

test.each([
  ['chat-agent-2', true],
  ['a', true],
  ['Chat', false],
  ['-a', false],
  ['a-', false],
  ['a b', false],
  ['', false],
])('the name %j works everywhere: %j', (name, works) => {
  expect(nameAdvice(name) === undefined).toBe(works)
})

test('secrets without a known source are refused only for what no source allows', () => {
  const messages = (source?: string) => secretProblems([{ name: 'PORT' }, { name: 'POSTGRES_URI' }], source).length
  expect([messages(), messages('external_docker'), messages('github')]).toEqual([1, 1, 2])
  expect([secretProblems(null), secretProblems(undefined)]).toEqual([[], []])
})

test('a source has the fields that its rules do not forbid, and an unknown one has all', () => {
  expect(appliesTo('github', 'source_config.custom_url')).toBe(false)
  expect(appliesTo('github', 'source_config.repo_url')).toBe(true)
  expect(appliesTo('newer', 'source_config.custom_url')).toBe(true)
  expect(appliesTo('toString', 'source_config.custom_url')).toBe(true)
})

test.each([
  ['http://127.0.0.1:9/put', true],
  ['https://store.example/put?signature=1', true],
  ['ftp://store.example/put', false],
  ['httpx://store.example/put', false],
  ['xhttp://store.example/put', false],
  ['javascript:alert(1)', false],
])('a folder is sent to %s: %s', (upload_url, isAccepted) => {
  expect(UploadPlace.safeParse({ upload_url, object_path: 'a/b.tar.gz' }).success).toBe(isAccepted)
})

test('an upload without a name, and a count without a number, are refused', () => {
  expect(UploadPlace.safeParse({ upload_url: 'https://store.example', object_path: '' }).success).toBe(false)
  expect([FreeCount.safeParse({}).success, FreeCount.safeParse({ count: 1 }).success]).toEqual([false, true])
})
