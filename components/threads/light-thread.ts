import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { threadsQuery } from '@/lib/queries/threads'
import { LIGHT_COLUMNS } from './list-query'

/** The thread without its values, which may be megabytes. Uses a search by id, because only searches can omit them. */
export const lightThreadQuery = ({ workspace, deploymentId, thread }: ThreadPlace) =>
  threadsQuery(workspace, deploymentId, { ids: [thread], select: LIGHT_COLUMNS, limit: 1 })
