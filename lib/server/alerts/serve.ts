import 'server-only'
import type { AlertsView } from '@/lib/contracts/alerts/alerts'
import type { Actor } from '../access/actor'
import { readAlerts } from '../records/alerts'
import { serveRead } from '../relay/serve-read'
import { mailProblem } from './send'

export const alertsView = async (workspace: string, actor: Actor): Promise<AlertsView> => ({
  ...(await readAlerts(actor, workspace)),
  mailProblem: mailProblem(),
})

/** Serves `GET /api/alerts/{workspace}`. */
export const serveAlerts = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (_query, { actor }) => alertsView(workspace, actor))
