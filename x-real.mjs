import { spawn, execSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import path from 'node:path'
import os from 'node:os'
import { startPostgres } from './scripts/postgres.mjs'
import { Client } from '@langchain/langgraph-sdk'
const dir = mkdtempSync(path.join(os.tmpdir(), 'real-'))
const pgs = await startPostgres(path.join(dir, 'pg'), { settings: { max_connections: 100 } })
const t0 = Date.now()
const c = spawn(process.execPath, ['--enable-source-maps', '.build/platform.mjs'], { env: { PATH: process.env.PATH, HOME: process.env.HOME, PILOTHOUSE_DATA: dir + '/data', DATABASE_URL: pgs.url }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
const p = await new Promise((res, rej) => { c.once('message', (m) => res(m.ready)); c.once('exit', rej) })
console.log('platform ready', Date.now() - t0, 'ms')
const ask = async (m, r, b) => { const x = await fetch(p.url + r, { method: m, headers: { 'x-api-key': p.apiKey, 'content-type': 'application/json' }, body: b && JSON.stringify(b) }); const t = await x.text(); return t && JSON.parse(t) }
const settle = async (d, r) => { for (;;) { const v = await ask('GET', `/v2/deployments/${d}/revisions/${r}`); if (/DEPLOYED|FAILED/.test(v.status)) return v.status; await new Promise((r) => setTimeout(r, 20)) } }
try {
const { resources } = await ask('GET', '/v2/deployments')
for (const d of resources) {
  console.log(d.name, await settle(d.id, d.latest_revision_id), 'after', Date.now() - t0, 'ms from start')
  for (const type of ['build', 'deploy']) for (const l of (await ask('GET', `/v2/deployments/${d.id}/revisions/${d.latest_revision_id}/logs?type=${type}&limit=100`)).logs) console.log('  ', type, l.timestamp.slice(17, 23), l.level, l.message.slice(0, 200))
}
const con = resources.find((d) => d.name === 'concierge')
let t1 = Date.now()
const up = await ask('PATCH', '/v2/deployments/' + con.id, { secrets: [{ name: 'GREETING', value: 'ahoy from a secret' }] })
console.log('PATCH→', await settle(con.id, up.latest_revision_id), Date.now() - t1, 'ms')
t1 = Date.now()
const r2 = await ask('POST', `/v2/deployments/${con.id}/revisions/${con.latest_revision_id}/redeploy`)
console.log('redeploy (cached) →', await settle(con.id, con.latest_revision_id), Date.now() - t1, 'ms')
await ask('POST', `/v2/deployments/${con.id}/revisions/${up.latest_revision_id}/redeploy`); await settle(con.id, up.latest_revision_id)
const client = new Client({ apiUrl: con.source_config.custom_url, apiKey: p.apiKey })
const th = await client.threads.create()
t1 = Date.now(); let n = 0, first, text = ''
for await (const e of client.runs.stream(th.thread_id, 'chat', { input: { messages: [{ role: 'user', content: 'what is 6*7?' }] }, streamMode: ['messages-tuple', 'updates'], context: { delay_ms: 10 } })) { n++; if (e.event === 'messages') { first ??= Date.now() - t1; text += e.data[0].content } if (e.event === 'error') console.log(e) }
console.log('events', n, 'first token', first, 'ms, total', Date.now() - t1, text.slice(0, 200))
const st = await client.threads.getState(th.thread_id); console.log('state messages', st.values.messages.length)
const wb = resources.find((d) => d.name === 'workbench')
const wc = new Client({ apiUrl: wb.source_config.custom_url, apiKey: p.apiKey })
for (const g of ['research', 'fanout', 'failing', 'archive']) { const t = Date.now(); const ev = {}; try { for await (const e of wc.runs.stream((await wc.threads.create()).thread_id, g, { input: {}, streamMode: ['updates', 'custom', 'messages-tuple'], streamSubgraphs: true, context: g === 'archive' ? undefined : g === 'failing' ? {} : g === 'fanout' ? { slowest_ms: 500 } : { delay_ms: 2 } })) { const k = e.event.replace(/:[0-9a-f-]+/g, ''); ev[k] = (ev[k] ?? 0) + 1 } } catch (e) { ev.thrown = e.message } console.log(g, Date.now() - t, 'ms', JSON.stringify(ev)) }
const sch = await wc.assistants.getSchemas('research'); console.log(Object.keys(sch), JSON.stringify(sch.context_schema).slice(0, 120))
console.log(execSync(`ps -o pid,rss,args --ppid ${c.pid} ; ps -o pid,rss -p ${c.pid}`).toString())
} catch (e) { console.log(e) }
t1 = Date.now(); c.kill('SIGTERM'); await new Promise((r) => c.once('exit', (code) => { console.log('exit', code, Date.now() - t1, 'ms'); r() }))
console.log(execSync('ps -eo args | grep "build/agent-server" | grep -v grep || true').toString())
await pgs.stop(); execSync('rm -rf ' + dir); process.exit(0)
