import type { DeploymentRow } from '@/lib/contracts/deployments/deployment-row'

type Source = Pick<DeploymentRow, 'source' | 'repo' | 'ref' | 'image' | 'url'>

/** The source of a deployment in one line; empty if it is uploaded. */
export function sourceOf({ source, repo, ref, image, url }: Source): string {
  const name = repo
    ?.replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
    .at(-1)
  const at = ref?.replace(/^refs\/tags\//, 'tag ')
  if (name) return at ? `${name} · ${at}` : name
  return image ?? (source === 'external' ? url : undefined) ?? ''
}
