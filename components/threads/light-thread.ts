import { threadsQuery } from '@/lib/queries/threads'
import { LIGHT_COLUMNS } from './list-query'

export type ThreadPlace = { workspace: string; deployment: string; thread: string }

/** The thread without its values, which may be megabytes. Uses a search by id, because only searches can omit them. */
export const lightThreadQuery = ({ workspace, deployment, thread }: ThreadPlace) =>
  threadsQuery(workspace, deployment, { ids: [thread], select: LIGHT_COLUMNS, limit: 1 })
