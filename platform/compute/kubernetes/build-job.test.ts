import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type BuildInput, buildManifests } from './build-job'
import { schemaErrors } from './fixtures/schema-errors'

const input = (changed: Partial<BuildInput> = {}): BuildInput => ({
  platformId: '7d0c0f1e-0000-4000-8000-000000000001',
  namespace: 'agents',
  deployment: { id: 'a0000000-0000-4000-8000-000000000001', name: 'Customer support (EU)' },
  revisionId: 'b0000000-0000-4000-8000-000000000002',
  attempt: '1a2b3c',
  builds: {
    registry: 'registry.example.com/agents',
    secret: 'registry',
    buildkit: 'moby/buildkit:rootless',
    timeoutMs: 1_800_000,
  },
  commit: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
  settings: {
    base: 'registry.example.com/pilothouse-agent:1',
    config: { repo_url: 'https://git.example.com/agents.git?token=a-token-of-git' },
    revision: { repo_ref: 'main', graph_config_path: 'graph.json' },
  },
  secrets: [{ name: 'NPM_TOKEN', value: 'the registry token' }],
  variables: { PILOTHOUSE_CORS_ORIGINS: '*' },
  ...changed,
})
const all = (given: BuildInput) => {
  const { owner, owned } = buildManifests(given)
  return [owner, ...owned]
}

describe('the build of an image becomes', () => {
  test('a Job and its Secret', async () => {
    const text = all(input())
      .map((object) => stringify(object, { aliasDuplicateObjects: false }))
      .join('---\n')
    await expect(text).toMatchFileSnapshot('fixtures/image-build.yaml')
  })

  test('objects that the published schemas accept, with and without credentials', () => {
    const open = { ...input().builds, secret: undefined }
    expect([...all(input()), ...all(input({ builds: open }))].flatMap(schemaErrors)).toEqual([])
    const { owner } = buildManifests(input())
    Object.assign(owner.spec ?? {}, { backofLimit: 0 })
    expect(schemaErrors(owner).join('\n')).toContain('spec')
  })

  test('a Job in whose visible form no secret is, neither of the deployment nor in the address of the repository', () => {
    expect(JSON.stringify(buildManifests(input()).owner)).not.toMatch(/the registry token|a-token-of-git|git\.example/)
  })

  test('a container that clones, which alone gets the credentials of the repository', () => {
    const { spec } = buildManifests(input({ gitSecret: 'git' })).owner.spec?.template ?? {}
    expect(spec?.volumes).toContainEqual({ name: 'pilothouse-git', secret: { secretName: 'git' } })
    expect(JSON.stringify(spec?.initContainers)).toContain('/etc/pilothouse-git')
    expect(JSON.stringify(spec?.containers)).not.toContain('pilothouse-git')
  })

  test('a container that runs the source without the secrets of the deployment or an account of the cluster', () => {
    const { spec } = buildManifests(input()).owner.spec?.template ?? {}
    const [builder] = spec?.containers ?? []
    expect(spec?.automountServiceAccountToken).toBe(false)
    expect(JSON.stringify(builder?.env)).not.toContain('secretKeyRef')
    expect(builder?.volumeMounts?.map(({ name }) => name)).not.toContain('pilothouse-settings')
  })
})
