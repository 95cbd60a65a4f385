import { RUN_SCRIPT } from './confinement'
import type { Mount } from './mounts'

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Devices that programs expect; all others are missing. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)
const LINKS = ['fd', 'stdin', 'stdout', 'stderr'].map((name) => `/dev/${name}`)

/**
 * Replaces the root with a read-only copy of the machine's file system that has its own process table, devices and
 * temporary folders. Runs as root of new mount and process namespaces; the old root is unreachable afterwards.
 */
function setUp(root: string, mounts: readonly Mount[], cwd: string, isRoot: boolean): string {
  const steps = mounts.map((mount) => {
    const at = quote(mount.at)
    if (mount.kind === 'hide') return `hide ${at} ${mount.isShared ? '1777' : '755'}`
    return `show ${at} ${mount.isWritable ? 'rw' : 'ro'}`
  })
  // A user of its own cannot write to the system; with the rights of an ordinary user, every mount has to be made
  // read-only.
  const readOnly = isRoot
    ? 'mount -n -o remount,bind,ro "$N"'
    : `while read -r _ _ _ _ at options _; do
  case $at in
    "$N/proc"* | "$N/dev"*) ;;
    "$N") mount -n -o "remount,bind,ro,\${options#r?,}" "$N" ;;
    "$N"/*) mount -n -o "remount,bind,ro,\${options#r?,}" "$(printf '%b' "$at")" 2>/dev/null || : ;;
  esac
done </proc/self/mountinfo`
  return `set -e
ulimit -c 0
N=${quote(root)}
mount -n --rbind / "$N"
${readOnly}
mount -n -t proc -o nosuid,nodev,noexec proc "$N/proc"
mount -n -t tmpfs -o mode=755,nosuid tmpfs "$N/dev"
mkdir -m 1777 "$N/dev/shm"
(umask 0; cp -R -P ${[...LINKS, ...(isRoot ? DEVICES : [])].join(' ')} "$N/dev")
${isRoot ? '' : `for one in ${DEVICES.join(' ')}; do : >"$N$one"; mount -n --bind "$one" "$N$one"; done`}
hide() { [ ! -d "$N$1" ] || mount -n -t tmpfs -o "mode=$2,nosuid,nodev" tmpfs "$N$1"; }
show() {
  if [ -d "$1" ]; then [ -d "$N$1" ] || mkdir -p "$N$1"
  else [ -d "$N\${1%/*}" ] || mkdir -p "$N\${1%/*}"; [ -e "$N$1" ] || : >"$N$1"; fi
  mount -n --rbind "$1" "$N$1"
  ${isRoot ? ':' : '[ "$2" = rw ] || mount -n -o remount,bind,ro "$N$1" 2>/dev/null || mount -n -o remount,bind,ro,nosuid,nodev "$N$1"'}
}
${steps.join('\n')}
cd "$N"
pivot_root . .
umount -n -l .
cd ${quote(cwd)}
`
}

const UNPRIVILEGED = '--no-new-privs --inh-caps=-all --bounding-set=-all --pdeathsig KILL'

/** The command that runs a program in its own namespaces, as the user `uid` or, without root, as the same user. */
export function unshareCommand(options: {
  argv: readonly string[]
  /** An empty folder. */
  root: string
  mounts: readonly Mount[]
  cwd: string
  /** The deployment's, if the platform is root. */
  uid: number | undefined
}): [string, ...string[]] {
  const { argv, root, mounts, cwd, uid } = options
  const own = process.getuid?.() ?? 0
  const group = process.getgid?.() ?? 0
  const drop =
    uid === undefined
      ? // Back to the ordinary user, in a user namespace in which the mounts cannot be undone.
        `exec unshare --user --map-user=${own} --map-group=${group} -- setpriv ${UNPRIVILEGED} -- `
      : `exec setpriv --reuid ${uid} --regid ${uid} --clear-groups ${UNPRIVILEGED} -- `
  const script = `${setUp(root, mounts, cwd, uid !== undefined)}${drop}/bin/sh -c ${quote(RUN_SCRIPT)} sh "$@"`
  const namespaces = ['--mount', '--pid', '--ipc', '--fork', '--kill-child']
  if (uid === undefined) namespaces.unshift('--user', '--map-root-user')
  return ['unshare', ...namespaces, '--', '/bin/sh', '-c', script, 'sh', ...argv]
}
