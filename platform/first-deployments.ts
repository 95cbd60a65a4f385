import { execFile } from 'node:child_process'
import { access, chmod, cp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { asProcessEnv, baseEnvironment } from './kernel/env'
import type { Store } from './kernel/store'

const run = promisify(execFile)

export type FirstDeploymentsOptions = {
  store: Store
  url: string
  apiKey: string
  repositoriesFolder: string
  log(line: string): void
}

const MARKER = 'samples_created'
const SAMPLES = [
  { name: 'concierge', graph_config_path: 'graph.json' },
  { name: 'workbench', graph_config_path: 'workbench.json' },
]
const Integrations = z.array(z.object({ id: z.string() })).min(1)
const Repositories = z.array(z.object({ name: z.string(), url: z.string(), default_branch: z.string() }))
const Page = z.object({ resources: z.array(z.unknown()) })

/**
 * On the first start only: creates a git repository with the sample graphs and two deployments, over the public API.
 * Deleted samples do not come back; a failure is reported and retried at the next start.
 */
export async function createFirstDeployments(options: FirstDeploymentsOptions): Promise<void> {
  const { store, log } = options
  if (await store.hasSetting(MARKER)) return
  try {
    await createRepository(path.join(options.repositoriesFolder, 'samples'))
    await createDeployments(options)
    await store.setting(MARKER, () => true)
  } catch (error) {
    log(`The sample deployments could not be created: ${(error as Error).message}`)
  }
}

async function createRepository(folder: string): Promise<void> {
  const exists = await access(folder).then(
    () => true,
    () => false,
  )
  if (exists) return
  // Built next to its destination and then moved, so that a kill never leaves half a repository.
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  // Relative to the working folder, because this code runs bundled.
  await cp(path.resolve('platform/samples'), draft, { recursive: true })
  await chmod(draft, 0o755) // an installed package may be read-only
  const author = ['-c', 'user.name=Pilothouse', '-c', 'user.email=samples@pilothouse.invalid']
  const git = (...args: string[]) =>
    run('git', [...author, '-c', 'commit.gpgsign=false', '-c', 'core.hooksPath=/dev/null', ...args], {
      cwd: draft,
      env: asProcessEnv(baseEnvironment()),
    })
  await git('init', '--quiet', '--template=', '--initial-branch=main')
  await git('add', '--all')
  await git('commit', '--quiet', '--message=Sample graphs')
  await rename(draft, folder)
}

async function createDeployments({ url, apiKey }: FirstDeploymentsOptions): Promise<void> {
  const ask = async <T>(schema: z.ZodType<T>, resource: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}${resource}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${resource} responded with ${response.status} ${text}`)
    return schema.parse(JSON.parse(text))
  }
  const [integration] = await ask(Integrations, '/v1/integrations/github/install')
  const repositories = await ask(Repositories, `/v1/integrations/github/${integration?.id}/repos`)
  const samples = repositories.find((repository) => repository.name === 'samples')
  if (!samples) throw new Error('the sample repository is not available')

  for (const { name, graph_config_path } of SAMPLES) {
    const { resources } = await ask(Page, `/v2/deployments?name=${name}`)
    if (resources.length) continue
    await ask(z.unknown(), '/v2/deployments', {
      name,
      source: 'github',
      source_config: {
        integration_id: integration?.id,
        repo_url: samples.url,
        deployment_type: 'dev',
        build_on_push: false,
      },
      source_revision_config: { repo_ref: samples.default_branch, graph_config_path },
      secrets: [],
    })
  }
}
