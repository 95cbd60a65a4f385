import type { Item } from '@langchain/langgraph-checkpoint'
import { splitNamespace } from '@/lib/contracts/agents/store'
import type { Handlers } from '../http/handler-types'
import { invalid } from '../kernel/errors'
import { iso } from '../persistence/db'
import { ItemError } from '../store/item-rules'
import type { ItemStore } from '../store/items'

type ItemHandlers = Pick<Handlers, 'putItem' | 'getItem' | 'deleteItem' | 'searchItems' | 'listNamespaces'>

export function itemHandlers(store: ItemStore): ItemHandlers {
  return {
    async putItem({ body: { namespace, key, value, index, ttl } }) {
      await explain('body', () => store.put(namespace, key, value, index, { ttl }))
      return {}
    },

    async getItem({ query: { namespace, key, refresh_ttl } }) {
      const item = await explain('query', () =>
        store.get(splitNamespace(namespace), key, { refreshTtl: refresh_ttl ?? null }),
      )
      return { body: item && itemOut(item) }
    },

    async deleteItem({ body: { namespace, key } }) {
      await explain('body', () => store.delete(namespace ?? [], key))
      return {}
    },

    async searchItems({ body: { namespace_prefix, refresh_ttl, ...search }, only }) {
      const items = await explain('body', () =>
        store.search(namespace_prefix ?? [], { ...search, only, refreshTtl: refresh_ttl ?? null }),
      )
      return { body: { items: items.map(itemOut) } }
    },

    listNamespaces: async ({ body: { max_depth, ...options }, only }) => ({
      body: { namespaces: await store.listNamespaces({ ...options, only, maxDepth: max_depth }) },
    }),
  }
}

const itemOut = ({ createdAt, updatedAt, ...item }: Item) => ({
  ...item,
  created_at: iso(createdAt),
  updated_at: iso(updatedAt),
})

async function explain<T>(place: 'body' | 'query', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ItemError ? invalid([place, error.field], error.message) : error
  }
}
