import type { AssistantRow } from '../assistants/assistants'

const TEXT = 'text/plain'
const DATA = 'application/json'

/**
 * How an assistant presents itself to other agents. One document serves both protocol versions: it has the older
 * fields (`url`, `protocolVersion`) as well as the newer ones (`supportedInterfaces`).
 */
export function agentCard(
  { assistant_id, graph_id, name, description, version }: AssistantRow,
  base: string,
  inputFields: readonly string[] | undefined,
  hasPush: boolean,
) {
  const url = `${base}/a2a/${assistant_id}`
  const about = description ?? `The agent "${name}" (graph ${graph_id}).`
  const talks = !inputFields || inputFields.includes('messages')
  const modes = talks ? [TEXT, DATA] : [DATA]
  const inputs = inputFields?.length ? ` Fields of its input: ${inputFields.join(', ')}.` : ''
  return {
    name,
    description: about,
    version: String(version),
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    documentationUrl: `${base}/docs`,
    capabilities: { streaming: true, pushNotifications: hasPush, stateTransitionHistory: false, extensions: [] },
    defaultInputModes: modes,
    defaultOutputModes: [TEXT, DATA],
    skills: [{ id: graph_id, name, description: about + inputs, tags: ['graph'], inputModes: modes }],
    securitySchemes: {
      // Exactly one key, as version 1.0 demands. `in` is what version 0.3 calls `location`.
      apiKey: {
        apiKeySecurityScheme: {
          location: 'header',
          in: 'header',
          name: 'X-Api-Key',
          description: 'Key of the deployment',
        },
      },
    },
    security: [{ apiKey: [] }],
    securityRequirements: [{ schemes: { apiKey: { list: [] } } }],
    supportsAuthenticatedExtendedCard: false,
  }
}

/** The address at which the caller reached this server, without a trailing slash. */
export function publicBase(headers: Headers): string {
  const first = (name: string) => headers.get(name)?.split(',', 1)[0]?.trim() ?? ''
  const proto = first('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const host = [first('x-forwarded-host'), first('host')].find((one) => /^[\w.:[\]-]+$/.test(one)) ?? 'localhost'
  const prefix = first('x-forwarded-prefix')
  return `${proto}://${host}${/^(\/[\w.~-]+)*$/.test(prefix) ? prefix : ''}`
}
