// node serve.mjs DATA_FOLDER GRAPH_FOLDER: the bare npm server on a free port, in memory with its one file in DATA_FOLDER.
// Says `{ ready: { port } }` to its parent. It serves every `*.mjs` of GRAPH_FOLDER as a graph of that name.
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { StartServerSchema, startServer } from '@langchain/langgraph-api/server'

const [cwd, folder] = process.argv.slice(2)
const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(port))
  })
})
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.mjs') ? file.slice(0, -4) : []))
const options = StartServerSchema.parse({
  host: '127.0.0.1',
  port,
  nWorkers: Number(process.env.N_WORKERS ?? 10),
  cwd,
  graphs: Object.fromEntries(names.map((name) => [name, `${folder}/${name}.mjs:graph`])),
})
// It installs handlers that only log what nobody caught, so a failed start has to be made an end.
const { cleanup } = await startServer(options).catch((error) => {
  console.error(error)
  process.exit(1)
})
process.send?.({ ready: { port } })
process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', () => cleanup().finally(() => process.exit(0)))
