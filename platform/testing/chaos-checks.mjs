// What must be true some time after a platform was killed and started again.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { createCaller } from './chaos-journey.mjs'

const TERMINAL = ['DEPLOYED', 'CREATE_FAILED', 'BUILD_FAILED', 'DEPLOY_FAILED', 'SKIPPED', 'INTERRUPTED']

const read = (file) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Every process with our mark in its environment, which everything that the platform starts inherits. Linux only. */
export function processesOf(mark) {
  const found = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || !read(`/proc/${name}/environ`).includes(mark)) continue
    const environ = Object.fromEntries(
      read(`/proc/${name}/environ`)
        .split('\0')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    )
    const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim()
    const kind = environ.PILOTHOUSE_AGENT_OWNER
      ? 'agent'
      : command.includes('platform.mjs')
        ? 'platform'
        : command.includes('while read -r kind group')
          ? 'reaper'
          : 'work'
    // It ended in between.
    if (command)
      found.push({
        pid: Number(name),
        kind,
        revision: environ.PILOTHOUSE_AGENT_OWNER,
        command: command.slice(0, 120),
        cwd: link(name),
      })
  }
  return found
}
const link = (pid) => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

/** The current problems, in words; empty if everything is consistent. */
export async function findProblems({ ready, mark, journey, dataDir, database }) {
  const call = createCaller(ready)
  const problems = [...journey.problems]
  const { body: page } = await call('GET', '/v2/deployments?limit=100')
  const listed = new Map(page.resources.map((one) => [one.name, one]))
  const serving = []

  for (const one of journey.deployments.values()) {
    const found = listed.get(one.name)
    // A kill lost the response, but the deployment was created.
    if (found && !one.id) one.id = found.id
    if (!found) {
      if (one.id && !one.isDeleted) problems.push(`${one.name} was made and is not there`)
      continue
    }
    if (one.isDeleted === true) problems.push(`${one.name} was deleted and is ${found.status}`)
    else if (found.status !== 'READY') problems.push(`${one.name} is ${found.status}`)
    else if (one.isDeleted === 'maybe') one.isDeleted = false
    problems.push(...(await ofDeployment(call, one, found, serving)))
  }

  const processes = processesOf(mark)
  const count = (kind) => processes.filter((one) => one.kind === kind).length
  const say = (kind) =>
    processes
      .filter((one) => one.kind === kind)
      .map(({ pid, command, cwd }) => `${pid} ${command} in ${cwd}`)
      .join('; ')
  if (count('platform') !== 1) problems.push(`platforms: ${say('platform')}`)
  if (count('reaper') > 1) problems.push(`reapers: ${say('reaper')}`)
  if (count('work')) problems.push(`left over: ${say('work')}`)
  const agents = processes.filter(({ kind }) => kind === 'agent').map(({ revision }) => revision)
  if (agents.toSorted().join() !== serving.toSorted().join())
    problems.push(`agent servers of revisions ${agents}, but ${serving} are active`)

  const ids = page.resources.map(({ id }) => id)
  const folders = readdirSync(path.join(dataDir, 'builds')).filter((name) => !ids.includes(name))
  if (folders.length) problems.push(`folders of nothing: ${folders}`)
  const { rows } = await database.query(`select nspname from pg_namespace where nspname like 'agent\\_%'`)
  const schemas = ids.map((id) => `agent_${id.replaceAll('-', '')}`)
  const lost = rows.map(({ nspname }) => nspname).filter((name) => !schemas.includes(name))
  if (lost.length) problems.push(`database schemas of nothing: ${lost}`)
  return problems
}

async function ofDeployment(call, one, found, serving) {
  const problems = []
  const revisions = []
  for (let offset = 0; ; offset += 100) {
    const { status, body } = await call('GET', `/v2/deployments/${found.id}/revisions?limit=100&offset=${offset}`)
    // A deployment that was being deleted may be gone by now.
    if (status === 404) return [`${one.name}: its revisions are gone`]
    if (status !== 200)
      throw new Error(`${one.name}: its revisions were answered with ${status} ${JSON.stringify(body)}`)
    revisions.push(...body.resources)
    if (body.resources.length < 100) break
  }
  const say = (what) => problems.push(`${one.name}: ${what}`)
  for (const { id, status } of revisions) if (!TERMINAL.includes(status)) say(`revision ${id} is ${status}`)
  for (const id of one.made)
    if (!revisions.some((revision) => revision.id === id)) say(`revision ${id} was made and is not there`)
  const most = one.made.size + one.maybe + one.pushes
  if (revisions.length > most) say(`${revisions.length} revisions, at most ${most} were asked for`)
  if (new Set(revisions.map(({ id }) => id)).size !== revisions.length) say('a revision is listed twice')
  if (revisions[0]?.id !== found.latest_revision_id) say('latest_revision_id is not that of the newest revision')

  const active = revisions.find(({ id }) => id === found.active_revision_id)
  const isDeployed = revisions.some(({ status }) => status === 'DEPLOYED')
  if (!active) {
    if (isDeployed) say('a revision is DEPLOYED, but none is active')
    return problems
  }
  serving.push(active.id)
  const response = await call('GET', `/agents/${found.id}/info`)
  if (response.status !== 200) say(`the agent server responds ${response.status}`)
  else if (response.body.metadata?.revision !== active.id)
    say(`revision ${response.body.metadata?.revision} answers, ${active.id} is active`)
  return problems
}
