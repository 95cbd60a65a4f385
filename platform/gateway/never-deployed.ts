import { whyNoServer } from '@/lib/contracts/deployments/has-server'
import { isRevisionInProgress } from '@/lib/contracts/wire/state'
import type { Store } from '../kernel/store'

/** Why deployments, or one of them, have no server and none is on its way, by their ids. */
export async function neverDeployed(store: Pick<Store, 'unserved'>, id?: string): Promise<Map<string, string>> {
  const found = await store.unserved(id)
  return new Map(
    found.flatMap(({ id, latest }) => (latest && isRevisionInProgress(latest) ? [] : [[id, whyNoServer(latest)]])),
  )
}
