// Stryker's runner for Vitest starts a worker per test file and change, which loads all packages: most of the time of tests
// with a database. This one keeps its worker, where only our own modules are loaded again. What the worker remembers could
// fail a test, and so could a busy machine: a failed test only counts if it passes again without the change.
import path from 'node:path'
import { Worker } from 'node:worker_threads'

const stryker = (/** @type {string} */ file) =>
  import(new URL(`node_modules/@stryker-mutator/${file}`, import.meta.url).href)
const { declareFactoryPlugin, PluginKind, commonTokens, tokens } = await stryker('api/dist/src/plugin/index.js')
export const { strykerValidationSchema } = await stryker('vitest-runner/dist/src/index.js')
const { VitestTestRunner } = await stryker('vitest-runner/dist/src/vitest-test-runner.js')

/** After so many changes, what tests leave behind is thrown away. */
const CHANGES_PER_WORKER = 40

/** @type {Worker | undefined} */
let kept

async function discardWorker() {
  const worker = kept
  kept = undefined
  await worker?.terminate()
}

/** Looks like a worker that is started and stopped for each test file, but is one thread. */
class KeptWorker {
  name = 'kept'
  /** @type {[event: string, callback: (arg: any) => void][]} */
  #listeners = []
  /** @type {import('vitest/node').PoolOptions} */
  #options

  constructor(options) {
    this.#options = options
  }

  async start() {
    if (kept) return
    const { distPath, env, execArgv } = this.#options
    const worker = new Worker(path.join(distPath, 'workers/threads.js'), { env, execArgv, stdout: true, stderr: true })
    for (const output of [worker.stdout, worker.stderr]) output.resume()
    worker.once('exit', () => {
      if (kept === worker) kept = undefined
    })
    kept = worker
  }

  on(event, callback) {
    this.#listeners.push([event, callback])
    kept?.on(event, callback)
  }

  off(event, callback) {
    kept?.off(event, callback)
  }

  send(message) {
    if (message.type !== 'stop') return kept?.postMessage(message)
    const stopped = { type: 'stopped', __vitest_worker_response__: true }
    for (const [event, callback] of this.#listeners) if (event === 'message') callback(stopped)
  }

  async stop() {
    for (const [event, callback] of this.#listeners) this.off(event, callback)
  }

  deserialize(data) {
    return data
  }
}

const hasFailed = (task) => task.result?.state === 'fail' || task.tasks?.some(hasFailed)

class KeepingRunner extends VitestTestRunner {
  static inject = [commonTokens.options, commonTokens.logger, 'globalNamespace']
  #changes = 0

  async init() {
    await super.init()
    for (const { config } of this.ctx.projects) {
      config.pool = 'kept'
      config.poolRunner = { name: 'kept', createPoolWorker: (options) => new KeptWorker(options) }
    }
  }

  async mutantRun(options) {
    this.#changes++
    if (this.#changes % CHANGES_PER_WORKER === 0) await discardWorker()
    const result = await this.#run(options)
    if (result.status === 'survived' && result.nrOfTests > 0) return result
    if (result.status === 'killed' && (await this.#passesWithout(options, result))) return result
    await discardWorker()
    return await this.#run(options)
  }

  /** Stryker takes tests that a failed hook skipped for passed. */
  async #run(options) {
    const result = await super.mutantRun(options)
    if (result.status !== 'survived') return result
    const failed = this.ctx.state.getFiles().find(hasFailed)
    if (!failed) return result.nrOfTests > 0 ? result : { status: 'error', errorMessage: 'No test was run.' }
    const killedBy = options.testFilter?.filter((id) => id.startsWith(failed.filepath)).slice(0, 1)
    return { ...result, status: 'killed', killedBy, failureMessage: `A hook of ${failed.name} failed.` }
  }

  async #passesWithout(options, { killedBy }) {
    const unchanged = { ...options, activeMutant: { ...options.activeMutant, id: 'none' }, hitLimit: undefined }
    const { status } = await this.#run({ ...unchanged, testFilter: killedBy && [killedBy].flat() })
    return status === 'survived'
  }

  async dispose() {
    await super.dispose()
    await discardWorker()
  }
}

const create = (injector) => injector.provideValue('globalNamespace', '__stryker__').injectClass(KeepingRunner)
create.inject = tokens(commonTokens.injector)
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'keeping-vitest', create)]
