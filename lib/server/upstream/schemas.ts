import 'server-only'
import { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import { tracesSchemas } from '@/lib/contracts/traces.schemas'
import type { ApiId, Operation, RowSchemas } from '@/lib/contracts/wire/api'

const SCHEMAS: Record<ApiId, Record<string, RowSchemas>> = {
  'control-plane': controlPlaneSchemas,
  'agent-server': agentServerSchemas,
  traces: tracesSchemas,
}

/** The schemas of an operation. A test of the contracts checks that every row has them. */
export function schemasOf(op: Operation): RowSchemas {
  const schemas = SCHEMAS[op.api][op.id]
  if (!schemas) throw new TypeError(`${op.api}.${op.id} has no schemas.`)
  return schemas
}
