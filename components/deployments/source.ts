import type { DeploymentRow } from '@/lib/contracts/deployments/deployment-row'
import { entryOf } from '@/lib/json/guards'

const SOURCES: Record<string, string> = {
  github: 'Git',
  external_docker: 'Image',
  internal_docker: 'Image',
  internal_source: 'Upload',
  external: 'Agent server',
}

export const sourceLabel = (source: string): string => entryOf(SOURCES, source) ?? source

/** The source of a deployment in one line. */
export function sourceOf({ repo, ref, image, url }: Pick<DeploymentRow, 'repo' | 'ref' | 'image' | 'url'>): string {
  const name = repo
    ?.replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
    .at(-1)
  const at = ref?.replace(/^refs\/tags\//, 'tag ')
  if (name) return at ? `${name} · ${at}` : name
  return image ?? url ?? ''
}
