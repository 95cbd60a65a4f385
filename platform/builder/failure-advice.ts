/** What the output of package managers means, and what to do about it. */
const ADVICE: readonly [output: RegExp, advice: string][] = [
  [
    /Unsupported URL Type "workspace:"/,
    'npm cannot install a package of a workspace (workspace:). Deploy the whole workspace with the lock file of its package manager, or set an install command.',
  ],
  [
    /\b404 Not Found|Not Found - 404|\b(E404|ETARGET|ERR_PNPM_NO_MATCHING_VERSION|No matching version found)\b|couldn't find any versions/i,
    'The registry does not have a package in the version that package.json or the lock file asks for. Change the version and update the lock file. If the package is private, .npmrc must name its registry.',
  ],
  [
    /ERR_PNPM_OUTDATED_LOCKFILE|lockfile needs to be updated|lockfile would have been modified|can only install packages when your package\.json and/,
    'package.json was changed without the lock file. Install the packages on your machine and commit the lock file.',
  ],
  [
    /^(?!.*will retry).*(\berror\b|\bERR_).*\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/i,
    'The registry was not reached. Check the network of the platform and the registry in .npmrc, then redeploy.',
  ],
]

/** What to do about an install command that failed with this line of output; undefined if the line speaks for itself. */
export const adviceOn = (line: string): string | undefined => ADVICE.find(([output]) => output.test(line))?.[1]

/** What to do about a build command that nobody asked for. */
export const OWN_SCRIPT =
  'This is the build script of package.json. Graphs are loaded from their sources: if yours do not need the script, set the build command to “true” in the settings of the deployment.'

/** Whether a line of output names the reason of a failure: “npm error code E404” and the like are followed by one that says more. */
export const namesReason = (line: string): boolean =>
  /\b(error|fatal|cannot find)\b/i.test(line) && !/^npm error (code|errno|syscall|path) /.test(line)

const SETTINGS_OF_OTHERS =
  /^npm warn Unknown env config "(store-dir|package-import-method|manage-package-manager-versions|package-manager-strict)"/i

/** Whether npm only notes that it does not know the platform's settings for other package managers. */
export const isOwnNoise = (line: string): boolean => SETTINGS_OF_OTHERS.test(line)
