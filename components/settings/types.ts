/** What the settings show of a workspace: whether it has keys, never which. */
export type WorkspaceShown = {
  slug: string
  name: string
  kind: 'embedded' | 'control-plane' | 'direct'
  baseUrl: string | null
  dialect: 'auto' | 'graph' | 'langgraph'
  allowedOrigins: string[]
  secretNames: 'members' | 'admins'
  source: 'environment' | 'console'
  hasKey: boolean
  hasAgentKey: boolean
  tracesUrl: string | null
  hasTracesKey: boolean
  tenantId: string | null
  keyProblem: string | null
}
export type ServerShown = { id: string; name: string; url: string; hasKey: boolean }

export const NOT_ALLOWED = 'This needs the role admin of the whole console.'
