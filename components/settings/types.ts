/** A workspace as the settings page shows it. Keys themselves never reach the browser. */
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

export const NOT_ALLOWED = 'Only console administrators can do this.'
