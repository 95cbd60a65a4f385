import { AsyncBatchedStore, type BaseStore } from '@langchain/langgraph-checkpoint'

type Wrapper = { store: BaseStore; running: boolean }

/**
 * Removes the queue that the runtime puts before each run's store: it is polled every millisecond, lacks
 * `listNamespaces`, drops `index`, and loses unawaited writes at the end. A graph with its own copy of the runtime
 * keeps it.
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
