import { RUN_SCRIPT } from './confinement'
import type { Mount } from './mounts'

/** The command that runs a program in a sandbox of bubblewrap, as the same user. */
export function bubblewrapCommand(options: {
  argv: readonly string[]
  mounts: readonly Mount[]
  cwd: string
}): [string, ...string[]] {
  const { argv, mounts, cwd } = options
  const steps = mounts.flatMap((mount) => {
    if (mount.kind === 'hide') return [...(mount.isShared ? ['--perms', '1777'] : []), '--tmpfs', mount.at]
    return [mount.isWritable ? '--bind' : '--ro-bind', mount.at, mount.at]
  })
  const own = ['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--cap-drop', 'ALL']
  const system = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev']
  // It reaps orphans itself.
  const script = `ulimit -c 0; ${RUN_SCRIPT.replace('"$@"', 'exec "$@"')}`
  return ['bwrap', ...own, ...system, ...steps, '--chdir', cwd, '--', '/bin/sh', '-c', script, 'sh', ...argv]
}
