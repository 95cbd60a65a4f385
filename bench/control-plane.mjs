// The embedded control plane with many deployments: time and bytes of a list's first page over HTTP, plain and
// filtered, and the platform's own usage. `BENCH_DEPLOYMENTS` sets how many (10,000).
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { build } from 'esbuild'
import pg from 'pg'
import { root } from '../scripts/bootstrap.mjs'
import { startPostgres } from '../scripts/postgres.mjs'
import { startPlatform } from './platform.mjs'

const COUNT = Number(process.env.BENCH_DEPLOYMENTS ?? 10_000)
const ROUNDS = 60
const QUERIES = {
  'first page': 'limit=20',
  'first page of 100': 'limit=100',
  'last page': `limit=20&offset=${COUNT - 20}`,
  'name_contains, many': 'limit=20&name_contains=agent',
  'name_contains, one': 'limit=20&name_contains=00042-',
  'name_contains, none': 'limit=20&name_contains=nobody',
  'status, many': 'limit=20&status=READY',
  'status, none': 'limit=20&status=UNKNOWN',
  'image_version, few': 'limit=20&image_version=0.0.9',
  'image_version, none': 'limit=20&image_version=9',
  'deployment_type, many': 'limit=20&deployment_type=prod',
  'deployment_type, few': 'limit=20&deployment_type=dev_free',
  remote_reconciled: 'limit=20&remote_reconciled=true',
  'several together': 'limit=20&name_contains=agent&status=READY&deployment_type=prod&image_version=0.1.0',
}

/** @returns one row for each query, one for the start and two for the memory. */
export async function measure() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-'))
  const databaseFolder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-')) // separate, because the server may run as another user
  const database = await startPostgres(databaseFolder, { say: () => {} })
  try {
    const start = () => startPlatform(path.join(folder, 'data'), database.url)
    await (await start()).stop() // creates the tables and the key
    await fill(folder, database.url)
    const began = performance.now()
    const platform = await start()
    const rows = [row('start', 'ms', [performance.now() - began])]
    await quiet(platform.pid)
    rows.push(memory('memory after the start', platform.pid))
    for (const [name, query] of Object.entries(QUERIES)) {
      const times = []
      let text = ''
      for (let round = -5; round < ROUNDS; round += 1) {
        const at = performance.now()
        const response = await fetch(`${platform.url}/v2/deployments?${query}`, {
          headers: { 'x-api-key': platform.apiKey },
        })
        text = await response.text()
        if (!response.ok) throw new Error(`${query}: ${response.status} ${text}`)
        if (round >= 0) times.push(performance.now() - at)
      }
      rows.push({ ...row(`list: ${name}`, 'ms', times), bytes: text.length, found: JSON.parse(text).resources.length })
    }
    rows.push(memory('memory after the lists', platform.pid))
    await platform.stop()
    return rows
  } finally {
    await database.stop()
    for (const one of [folder, databaseFolder]) rmSync(one, { recursive: true, force: true })
  }
}

/** Waits until the platform has checked every deployment once, so until it uses less than a tenth of a core. */
async function quiet(pid) {
  const ticks = () =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(' ')
      .slice(13, 15)
      .reduce((sum, one) => sum + Number(one), 0)
  for (let before = -Infinity, tries = 0; tries < 60; tries += 1) {
    const now = ticks()
    if (now - before < 10) return
    before = now
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

function memory(id, pid) {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return row(id, 'MB', [Number(kb) / 1024])
}

function row(id, unit, values) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share) => Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1))
  return {
    id: `control-plane ${id}`,
    ours: at(0.5),
    p95: at(0.95),
    min: at(0),
    max: at(1),
    unit,
    rounds: values.length,
    of: COUNT,
  }
}

/** Straight into the tables, none of them serving: ten thousand agent servers are another bench. */
async function fill(folder, url) {
  const bundle = path.join(folder, 'seal.mjs')
  await build({
    entryPoints: [path.join(root, 'platform/kernel/seal.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  const { createSealer } = await import(bundle)
  const sealer = createSealer(Buffer.from(readFileSync(path.join(folder, 'data/platform/seal-key'), 'utf8'), 'base64'))
  const made = Array.from({ length: COUNT }, (_, n) => {
    const id = randomUUID()
    const isImage = n % 5 === 0
    return {
      id,
      revision: randomUUID(),
      name: `agent-${String(n).padStart(5, '0')}-${['billing', 'support', 'search'][n % 3]}`,
      source: isImage ? 'external_docker' : 'github',
      source_config: isImage
        ? { listener_id: randomUUID(), resource_spec: { cpu: 1, memory_mb: 512, labels: { team: 'a' } } }
        : {
            integration_id: randomUUID(),
            repo_url: '/srv/repositories/agents',
            deployment_type: n % 100 === 1 ? 'dev_free' : n % 2 ? 'prod' : 'dev',
            build_on_push: n % 100 === 2,
          },
      source_revision_config: isImage
        ? { image_uri: `registry/agents:${n}` }
        : { repo_ref: 'main', graph_config_path: 'graph.json', repo_commit_sha: 'a'.repeat(40) },
      secrets: sealer.seal(
        Array.from({ length: 5 }, (_, s) => ({ name: `SECRET_${s}`, value: randomUUID() })),
        id,
      ),
      status: n % 10 === 3 ? 'UNUSED' : 'READY',
      image_version: n % 500 === 7 ? '0.0.9' : '0.1.0',
      created_at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
    }
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `with made as (select * from json_to_recordset($1::json) as made(id uuid, revision uuid, name text, source text, source_config jsonb,
       source_revision_config jsonb, secrets text, status text, image_version text, created_at timestamptz)),
     deployments as (insert into platform.deployments (id, name, source, source_config, secrets, status, latest_revision_id, image_version, created_at, updated_at)
       select id, name, source, source_config, secrets, status, revision, image_version, created_at, created_at from made returning id),
     revisions as (insert into platform.revisions (id, deployment_id, number, status, source, source_config, source_revision_config, secrets)
       select revision, id, 1, 'BUILD_FAILED', source, source_config, source_revision_config, secrets from made returning id)
     insert into platform.tracing_projects (name, deployment_id) select name, id from made`,
    [JSON.stringify(made)],
  )
  await client.query('analyze')
  await client.end()
}
