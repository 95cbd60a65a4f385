import type { Hono } from 'hono'
import { loadExport, placeOf } from '../assistants/load-export'

/** The `http.app` of the graph configuration file. Rejects if the export is not a Hono app, of any copy of Hono. */
export async function loadApp(place: string, folder: string): Promise<Hono> {
  const { file, exportName } = placeOf(place, folder)
  const found = (await loadExport(file, exportName)) as Partial<Hono>
  if (Array.isArray(found.routes) && typeof found.fetch === 'function') return found as Hono
  throw new Error(`The export "${exportName}" is not a Hono app.`)
}
