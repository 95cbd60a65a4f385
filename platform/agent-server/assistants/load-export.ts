import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { registerModuleHooks } from './module-hooks'

/** Splits `./file.ts:export`; the path is relative to `folder`. */
export function placeOf(place: string, folder: string): { file: string; exportName: string } {
  const [file = '', exportName = 'default'] = place.split(':')
  return { file: path.resolve(folder, file), exportName }
}

/** Throws if the file cannot be loaded or lacks the export. */
export async function loadExport(file: string, exportName: string): Promise<unknown> {
  registerModuleHooks()
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>
  const found = module[exportName]
  if (found !== undefined && found !== null) return found
  const others = Object.keys(module).join(', ') || 'nothing'
  throw new Error(`${path.basename(file)} has no export "${exportName}" (it exports ${others}).`)
}
