import { AsyncBatchedStore, type BaseStore } from '@langchain/langgraph-checkpoint'

type Wrapper = { store: BaseStore; running: boolean }

/**
 * The runtime puts each run's store behind a queue that it looks at every millisecond for as long as the run goes on,
 * which wakes a process with waiting runs a thousand times a second; it also knows no `listNamespaces`, drops `index`,
 * and loses what nobody waited for at the end. Ours answers by itself, so the queue is taken out. A graph with its own
 * copy of the runtime keeps the queue.
 */
export function bypassStoreBatching(): void {
  const direct: ThisType<Wrapper> & Partial<Record<keyof AsyncBatchedStore, unknown>> = {
    start() {
      this.running = true
    },
    async stop() {
      this.running = false
    },
    get(...args: Parameters<BaseStore['get']>) {
      return this.store.get(...args)
    },
    search(...args: Parameters<BaseStore['search']>) {
      return this.store.search(...args)
    },
    put(...args: Parameters<BaseStore['put']>) {
      return this.store.put(...args)
    },
    delete(...args: Parameters<BaseStore['delete']>) {
      return this.store.delete(...args)
    },
    listNamespaces(...args: Parameters<BaseStore['listNamespaces']>) {
      return this.store.listNamespaces(...args)
    },
    batch(...args: Parameters<BaseStore['batch']>) {
      return this.store.batch(...args)
    },
  }
  Object.assign(AsyncBatchedStore.prototype, direct)
}
