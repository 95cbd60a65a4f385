import { existsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { baseEnvironment } from '../kernel/env'
import { createRepository } from '../testing/platform-fixture'
import { testFolder } from '../testing/test-folder'
import { GitMirrors } from './git-mirrors'
import { inspectSource, listRefs } from './inspect'

const { fresh, remove } = testFolder()
afterAll(remove)
const CONFIG = '{"graphs":{"agent":"./agent.py:graph"}}'
const inspect = (url: string, configPath = 'graph.json', ref = 'main') =>
  inspectSource(
    { url, ref, configPath },
    { env: baseEnvironment(), mirrors: new GitMirrors(fresh('mirrors')), signal: new AbortController().signal },
  )

test('lists the graphs, and the variables of the example next to the configuration before those of the root', async () => {
  const repository = createRepository(fresh('repository'))
  const commit = repository.commit({
    'apps/a/langgraph.json': CONFIG,
    'apps/a/.env.template':
      '# Keys\nOPENAI_API_KEY=sk-canary\nexport MODEL="x"\n#TAVILY_API_KEY=\n# see this = that\n# MODEL=y\n',
    '.env.example': 'OTHER=1\n',
    'graph.json': CONFIG,
  })
  expect(await inspect(repository.url, 'apps/a/graph.json')).toEqual({
    commit,
    graph_config_path: 'apps/a/langgraph.json',
    graphs: ['agent'],
    env_example: {
      path: 'apps/a/.env.template',
      variables: [
        { name: 'OPENAI_API_KEY', is_optional: false },
        { name: 'MODEL', is_optional: false },
        { name: 'TAVILY_API_KEY', is_optional: true },
      ],
    },
  })
  expect((await inspect(repository.url)).env_example?.path).toBe('.env.example')
})

test('says that there is no example, and reads no file that a link in the repository points to', async () => {
  const repository = createRepository(fresh('repository'))
  symlinkSync('/etc/environment', path.join(repository.url, '.env.example'))
  repository.commit({ 'graph.json': CONFIG })
  expect((await inspect(repository.url)).env_example?.variables).toEqual([])
  repository.git('rm', '--quiet', '.env.example')
  repository.commit({})
  expect((await inspect(repository.url)).env_example).toBeNull()
})

test.each([
  ['../graph.json', 'points outside the source'],
  ['/etc/passwd', 'points outside the source'],
  ['none.json', 'does not exist in the source'],
  ['README.md', 'is not valid JSON'],
])('refuses the configuration file %s with its reason', async (file, reason) => {
  const repository = createRepository(fresh('repository'))
  repository.commit({ 'README.md': 'Hello' })
  await expect(inspect(repository.url, file)).rejects.toThrow(reason)
})

test('lists branches with the default one first, and tags with the newest version first', async () => {
  const repository = createRepository(fresh('repository'))
  repository.commit({ 'graph.json': CONFIG })
  for (const name of ['a-fix', 'z/deep']) repository.git('branch', name)
  for (const name of ['v1.9', 'v1.10']) repository.git('tag', '--annotate', '--message', name, name)
  const access = { env: baseEnvironment(), signal: new AbortController().signal }
  expect(await listRefs(repository.url, access)).toEqual({
    branches: ['main', 'a-fix', 'z/deep'],
    tags: ['v1.10', 'v1.9'],
    is_complete: true,
  })
})

test('refuses addresses that git would run', async () => {
  const place = path.join(fresh('mark'), 'run')
  await expect(inspect(`ext::touch ${place}`)).rejects.toThrow('Invalid repository address')
  const access = { env: baseEnvironment(), signal: new AbortController().signal }
  await expect(listRefs(`ext::touch ${place}`, access)).rejects.toThrow('Invalid repository address')
  await expect(listRefs(`--upload-pack=touch ${place}`, access)).rejects.toThrow('Invalid repository address')
  expect(existsSync(place)).toBe(false)
})
