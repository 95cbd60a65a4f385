import type { DeploymentRow } from '@/lib/contracts/deployments/deployment-row'

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
