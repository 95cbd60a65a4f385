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

/** What says only that something failed. Before or after it is a line that says why. */
const VERDICTS: readonly RegExp[] = [
  /^npm (error|ERR!)(\s*$| (code|errno|syscall|path|command|node_modules\/)|\s+(at|A complete log)\b)/,
  /\bELIFECYCLE\b|\bCommand failed\b|\bsubprocess-exited-with-error\b|\bfailed with \d+ errors?\b/i,
  /^make(\[\d+\])?: \*\*\* \[/,
  /^error: (No solution found|The build backend returned an error)/,
]
/** How tools begin the line that says why they fail. */
const REASONS: readonly RegExp[] = [
  /^npm (error|ERR!) \S/,
  /^[\s[]*ERR_PNPM_/,
  /^error [A-Z]/,
  // Codes of Yarn that are no errors: steps, packages, and peers that are missing.
  /^➤ YN(?!0000|0002|0007|0008|0013|0019|0032|0057|0060|0076|0085|0086)\d{4}: /,
  /[:)] (fatal )?error( TS\d+)?: /,
  /^\s*(Uncaught )?([\w$.]*(Error|Exception)|error|ERROR|fatal|FATAL|Type error|Module not found)( \[\w+\])?: \S/,
  /^make(\[\d+\])?: \*\*\* /,
  /^\s+cause: (?!Call to)/,
]
/** Before it runs, a package manager prints the script. The scripts before it went well. */
const SCRIPT = /^> \S+@\S+ \S|^\$ \S/
const WARNING = /^(npm )?warn(ing)?\b|\bwarning:/i

/** Finds the line of a command's output that says why it failed: the first such line of its last script. */
export class FailureReason {
  #reason: string | undefined
  /** A line that only has a word for it. */
  #mention: string | undefined

  read(line: string): void {
    if (SCRIPT.test(line)) {
      this.#reason = undefined
      this.#mention = undefined
    } else if (!VERDICTS.some((verdict) => verdict.test(line))) {
      if (REASONS.some((reason) => reason.test(line))) this.#reason ??= line
      else if (/\b(error|fatal|cannot find)\b/i.test(line) && !WARNING.test(line)) this.#mention ??= line
    }
  }

  get line(): string | undefined {
    return this.#reason ?? this.#mention
  }
}

const SETTINGS_OF_OTHERS =
  /^npm warn Unknown env config "(store-dir|package-import-method|manage-package-manager-versions|package-manager-strict)"/i

/** Whether npm only notes that it does not know the platform's settings for other package managers. */
export const isOwnNoise = (line: string): boolean => SETTINGS_OF_OTHERS.test(line)
