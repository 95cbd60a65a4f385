// node serve.mjs DATA_FOLDER GRAPH_FOLDER: the bare npm server on a free port, with its one file in DATA_FOLDER. Sends
// `{ ready: { port } }` to its parent, and serves every `*.mjs` of GRAPH_FOLDER as a graph of that name.
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
// Its handlers only log uncaught errors, so a failed start must exit here.
const { cleanup } = await startServer(options).catch((error) => {
  console.error(error)
  process.exit(1)
})
process.send?.({ ready: { port } })
process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', () => cleanup().finally(() => process.exit(0)))
