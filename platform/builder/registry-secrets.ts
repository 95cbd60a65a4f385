import path from 'node:path'
import type { Secret } from '@/lib/contracts/deployments/deployments'
import { readText } from './manifest'

const FILES = ['.npmrc', '.yarnrc.yml', '.yarnrc', 'bunfig.toml', 'pnpm-workspace.yaml']
/** `${NAME}`, `${NAME-default}`, `${NAME?}`, and `"$NAME"` as bun writes it. */
const VARIABLE = /\$\{([A-Za-z_]\w*)([^}]*)\}|"\$([A-Za-z_]\w*)"/g

/**
 * The secrets that a package manager's settings name, for private registries. Others stay out of builds, where any
 * install script could read them; `missing` are names without a secret.
 */
export async function registrySecrets(
  root: string,
  folders: Iterable<string>,
  secrets: readonly Secret[],
): Promise<{ env: Record<string, string>; lines: string[]; missing: string[] }> {
  const values = new Map(secrets.map(({ name, value }) => [name, value]))
  const env: Record<string, string> = {}
  const lines: string[] = []
  const missing: string[] = []
  for (const folder of new Set(folders))
    for (const name of FILES) {
      const file = path.relative(root, path.join(folder, name))
      for (const [, braced, more, quoted] of ((await readText(path.join(folder, name))) ?? '').matchAll(VARIABLE)) {
        const variable = braced ?? quoted ?? ''
        const value = values.get(variable)
        if (variable in env || value === undefined) {
          if (value === undefined && !more)
            missing.push(`${file} names ${variable}, which is not a secret of the deployment.`)
          continue
        }
        env[variable] = value
        lines.push(`The commands get the secret ${variable}, which ${file} names.`)
      }
    }
  return { env, lines, missing: [...new Set(missing)] }
}
