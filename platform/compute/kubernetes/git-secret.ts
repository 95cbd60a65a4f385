import type { V1EnvVar, V1Volume, V1VolumeMount } from '@kubernetes/client-node'

const VOLUME = 'pilothouse-git'
const FOLDER = '/etc/pilothouse-git'

/** Gives a container the credentials of private repositories; only one that clones may have them. */
export type GitSecret = { volumes: V1Volume[]; mounts: V1VolumeMount[]; env: V1EnvVar[] }

export const gitSecret = (name: string | undefined): GitSecret =>
  name
    ? {
        volumes: [{ name: VOLUME, secret: { secretName: name } }],
        mounts: [{ name: VOLUME, mountPath: FOLDER, readOnly: true }],
        env: [{ name: 'PILOTHOUSE_GIT_CREDENTIALS', value: FOLDER }],
      }
    : { volumes: [], mounts: [], env: [] }
