import { type Assistants, assistantOut } from '../assistants/assistants'
import { describeSchemas, describeSubgraphs, drawGraph } from '../assistants/graph-info'
import type { Graphs } from '../assistants/graphs'
import type { Handlers } from '../http/handler-types'
import type { Conditions } from '../kernel/conditions'
import { notFound } from '../kernel/errors'
import { pageHeaders, select } from '../kernel/listing'

type AssistantHandlers = Pick<
  Handlers,
  | 'createAssistant'
  | 'searchAssistants'
  | 'countAssistants'
  | 'getAssistant'
  | 'updateAssistant'
  | 'deleteAssistant'
  | 'getAssistantGraph'
  | 'listAssistantSubgraphs'
  | 'getAssistantSubgraph'
  | 'getAssistantSchemas'
  | 'listAssistantVersions'
  | 'setLatestAssistantVersion'
>

export function assistantHandlers(
  assistants: Assistants,
  graphs: Graphs,
  deleteThreadsOf: (assistantId: string, only: Conditions) => Promise<void>,
): AssistantHandlers {
  /** The graph as the assistant configures it. */
  const graphOf = async (idOrGraph: string) => {
    const { graph_id, config, context } = await assistants.get(idOrGraph)
    const graph = await graphs.get(graph_id, 'assistants.read', { configurable: {}, ...config }, context)
    return { graph, graphId: graph_id }
  }

  return {
    createAssistant: async ({ body }) => ({ body: assistantOut(await assistants.create(body)) }),

    async searchAssistants({ body, only }) {
      const { rows, total } = await assistants.search(body, only)
      return {
        body: rows.map((row) => select(assistantOut(row), body.select)),
        headers: pageHeaders(body, rows.length, total),
      }
    },

    countAssistants: async ({ body, only }) => ({ body: await assistants.count(body, only) }),

    getAssistant: async ({ params }) => ({ body: assistantOut(await assistants.get(params.assistant_id)) }),

    updateAssistant: async ({ params, body }) => ({
      body: assistantOut(await assistants.update(params.assistant_id, body)),
    }),

    async deleteAssistant({ params, query, caller }) {
      // Asked first, so that a refusal deletes nothing.
      const only = query.delete_threads ? await caller?.ask('threads:delete', {}) : undefined
      const id = await assistants.delete(params.assistant_id)
      if (query.delete_threads) await deleteThreadsOf(id, only)
      // Some clients parse the response.
      return { body: {} }
    },

    async getAssistantGraph({ params, query }) {
      const { graph } = await graphOf(params.assistant_id)
      return { body: await drawGraph(graph, query.xray ?? false) }
    },

    async listAssistantSubgraphs({ params, query }) {
      const { graph, graphId } = await graphOf(params.assistant_id)
      return { body: await describeSubgraphs(graph, graphId, undefined, query.recurse ?? false) }
    },

    async getAssistantSubgraph({ params, query }) {
      const { graph, graphId } = await graphOf(params.assistant_id)
      const found = await describeSubgraphs(graph, graphId, params.namespace, query.recurse ?? true)
      if (Object.keys(found).length === 0) throw notFound('Subgraph', params.namespace)
      return { body: found }
    },

    async getAssistantSchemas({ params }) {
      const { graph, graphId } = await graphOf(params.assistant_id)
      return { body: describeSchemas(graph, graphId, graphs.typesOf(graphId)) }
    },

    listAssistantVersions: async ({ params, body }) => ({
      body: (await assistants.versions(params.assistant_id, body)).map(assistantOut),
    }),

    setLatestAssistantVersion: async ({ params, body }) => ({
      body: assistantOut(await assistants.setLatest(params.assistant_id, body.version)),
    }),
  }
}
