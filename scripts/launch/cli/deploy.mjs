import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CommandError, EXIT, findDeployment } from './api.mjs'
import { sourceOf } from './git.mjs'
import { followLog } from './logs.mjs'

const ENDED = /^(DEPLOYED|SKIPPED|INTERRUPTED|\w+_FAILED)$/
const nameOf = (folder) =>
  path
    .basename(path.resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** Creates the deployment, or builds its next revision. Returns its id and the revision that was made. */
async function send(api, { name, repo, ref, config, type, integration, existing }) {
  if (existing) {
    if (existing.source !== 'github')
      throw new CommandError(`${name} is not deployed from a repository, but from ${existing.source}.`, EXIT.usage)
    if (existing.repository !== repo)
      throw new CommandError(
        `${name} is deployed from ${existing.repository}, not from ${repo}. Give another --name, or --repo.`,
        EXIT.usage,
      )
    const made = await api.post(`/deployments/${existing.id}/builds`, { ref, config_path: config })
    return { id: existing.id, revision: made.revision_id }
  }
  const integration_id = integration ?? (await api.get('/integrations')).integrations[0]?.id
  if (!integration_id)
    throw new CommandError(
      'The control plane has no integration that can read repositories. Connect one there, or give --integration.',
      EXIT.usage,
    )
  const made = await api.post('/deployments', {
    name,
    source: 'github',
    source_config: { integration_id, repo_url: repo, deployment_type: type, build_on_push: false },
    source_revision_config: { repo_ref: ref, graph_config_path: config },
    secrets: [],
  })
  return { id: made.deployment_id, revision: made.revision_id }
}

/**
 * Deploys a folder and follows it to its end. Returns what was deployed. Throws a CommandError.
 * @param {any} api
 * @param {{ folder: string, isLocal: boolean, name?: string, repo?: string, ref?: string, config?: string, type?: string,
 *   integration?: string, waits?: boolean, minutes?: number, print: (line: string) => void, pauseMs?: number }} options
 */
export async function deploy(api, options) {
  const { folder, print, type = 'dev', integration, waits = true, minutes = 20, pauseMs = 1000 } = options
  const { repo, ref, config, commit } = sourceOf(folder, options)
  const name = options.name ?? nameOf(folder)
  const existing = await findDeployment(api, name)
  print(
    `${existing ? 'Updating' : 'Creating'} ${name} from ${repo}, ${ref}${commit ? ` at ${commit.slice(0, 7)}` : ''}`,
  )
  const { id, revision } = await send(api, { name, repo, ref, config, type, integration, existing })
  if (!waits) return { id, name, revision, commit: null, status: 'started', url: null }

  const deadline = Date.now() + minutes * 60_000
  const revisionId = revision ?? (await api.get(`/deployments/${id}`)).latest_revision?.id
  if (!revisionId) throw new CommandError('The control plane made no revision.', EXIT.failed)
  let status = ''
  let built = ''
  const look = async () => {
    const found = await api.get(`/deployments/${id}/revisions/${revisionId}`)
    if (found.status !== status) print(`· ${found.status}`)
    status = found.status
    built = found.commit ?? ''
  }
  await look()
  const log = { api, deployment: id, revision: revisionId, print: (line) => print(`  ${line}`), pauseMs }
  const watch = (async () => {
    while (!ENDED.test(status)) {
      if (Date.now() > deadline)
        throw new CommandError(`Not deployed after ${minutes} minutes; it is ${status}.`, EXIT.timeout)
      await pause(pauseMs)
      await look()
    }
  })()
  let isWatching = true
  void watch.then(
    () => {
      isWatching = false
    },
    () => {
      isWatching = false
    },
  )
  await Promise.all([watch, followLog({ ...log, type: 'build', isOpen: () => isWatching })])
  if (status !== 'DEPLOYED') {
    await followLog({ ...log, type: 'deploy' })
    throw new CommandError(`${name} was not deployed: ${status}.`, EXIT.failed)
  }
  if (commit && built && built !== commit)
    print(`${ref} has moved: ${built.slice(0, 7)} was deployed, and this folder is at ${commit.slice(0, 7)}.`)
  const { url } = await api.get(`/deployments/${id}`)
  return { id, name, revision: revisionId, commit: built || null, status, url }
}
