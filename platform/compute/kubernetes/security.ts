import type { V1SecurityContext } from '@kubernetes/client-node'

/** The user of our images. A number, because a cluster cannot tell that a name is not root's. */
export const USER = 1000

/** A container of ours, within the pod security standard "restricted". */
export const RESTRICTED: V1SecurityContext = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
