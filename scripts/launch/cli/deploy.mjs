import { openAsBlob } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CommandError, EXIT, findDeployment } from './api.mjs'
import { withArchive } from './archive.mjs'
import { addressOf, sourceOf } from './git.mjs'
import { followLog } from './logs.mjs'

const ENDED = /^(DEPLOYED|SKIPPED|INTERRUPTED|\w+_FAILED)$/
const nameOf = (folder) =>
  path
    .basename(path.resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** Uploads the folder, for a deployment that is created if there is none. Returns its id and the new revision's. */
async function upload(api, { name, folder, config, type, existing, print }) {
  if (existing && existing.source !== 'internal_source')
    throw new CommandError(
      `${name} is deployed from ${existing.source === 'github' ? existing.repository : existing.source}. Give another --name to upload this folder.`,
      EXIT.usage,
    )
  return withArchive(folder, { config }, async (packed) => {
    print(`${existing ? 'Updating' : 'Creating'} ${name} from ${packed.files} files of ${path.resolve(folder)}`)
    if (packed.leftOut.length > 0) print(`· Left out: ${packed.leftOut.join(', ')}. Set secrets in the console.`)
    const id =
      existing?.id ??
      (
        await api.post('/deployments', {
          name,
          source: 'internal_source',
          source_config: { deployment_type: type },
          source_revision_config: {},
          secrets: [],
        })
      ).deployment_id
    const place = await api.post(`/deployments/${id}/uploads`)
    print(`· Uploading ${(packed.bytes / 1e6).toFixed(1)} MB`)
    await api.put(place.url, place.headers, await openAsBlob(packed.file))
    const made = await api.post(`/deployments/${id}/builds`, { upload: place.upload, config_path: packed.config })
    return { id, revision: made.revision_id }
  })
}

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
 *   integration?: string, upload?: boolean, waits?: boolean, minutes?: number, print: (line: string) => void,
 *   pauseMs?: number }} options
 */
export async function deploy(api, options) {
  const { folder, print, type = 'dev', integration, waits = true, minutes = 20, pauseMs = 1000 } = options
  const name = options.name ?? nameOf(folder)
  const existing = await findDeployment(api, name)
  const isUpload =
    options.upload ||
    existing?.source === 'internal_source' ||
    !(options.repo || options.ref || addressOf(folder, options.isLocal))
  const source = isUpload ? undefined : sourceOf(folder, options)
  const { ref = '', commit } = source ?? {}
  if (source)
    print(
      `${existing ? 'Updating' : 'Creating'} ${name} from ${source.repo}, ${ref}${commit ? ` at ${commit.slice(0, 7)}` : ''}`,
    )
  const { id, revision } = source
    ? await send(api, { name, ...source, type, integration, existing })
    : await upload(api, { name, folder, config: options.config, type, existing, print })
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
  await followLog({ ...log, type: 'deploy' })
  if (status !== 'DEPLOYED') throw new CommandError(`${name} was not deployed: ${status}.`, EXIT.failed)
  if (commit && built && built !== commit)
    print(`${ref} has moved: ${built.slice(0, 7)} was deployed, and this folder is at ${commit.slice(0, 7)}.`)
  const { url } = await api.get(`/deployments/${id}`)
  return { id, name, revision: revisionId, commit: built || null, status, url }
}
