// Loaded first by a console that is measured: on SIGUSR2 it collects garbage and prints the bytes that are still in use.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  console.log(JSON.stringify({ bytes_in_use: heapUsed + external }))
})
