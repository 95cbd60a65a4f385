import { expect, test } from 'vitest'
import { FailureReason } from './failure-advice'

// What each tool printed when it was made to fail, without the lines between that are alike.

const THROWN = (tool: string) => `${tool}
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'zodd'
Require stack:
- /source/build.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/source/build.js' ]
}

Node.js v20.20.2`

const PIP_BUILD = `Processing ./bad
  Getting requirements to build wheel: finished with status 'error'
  error: subprocess-exited-with-error
  
  × Getting requirements to build wheel did not run successfully.
  │ exit code: 1
  ╰─> [21 lines of output]
      Traceback (most recent call last):
        File "<string>", line 1, in <module>
      RuntimeError: no compiler
      [end of output]
  
  note: This error originates from a subprocess, and is likely not a problem with pip.
error: subprocess-exited-with-error`

test.each<[tool: string, output: string, reason: string]>([
  [
    'npm 11, no such version',
    `npm error code ETARGET
npm error notarget No matching version found for zod@99.0.0.
npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.
npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log`,
    'npm error notarget No matching version found for zod@99.0.0.',
  ],
  [
    'npm, conflict',
    `npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error
npm error While resolving: a@1.0.0
npm error node_modules/@langchain/core
npm error Could not resolve dependency:`,
    'npm error ERESOLVE unable to resolve dependency tree',
  ],
  [
    'npm ci, no such package in the lock file',
    `npm error code EUSAGE
npm error
npm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.
npm error
npm error Missing: zod@4.0.0 from lock file`,
    'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
  ],
  [
    'npm 9, no such package',
    `npm ERR! code E404
npm ERR! 404 Not Found - GET https://npm.example.com/a
npm ERR! 404 `,
    'npm ERR! 404 Not Found - GET https://npm.example.com/a',
  ],
  [
    'npm, a script of a package',
    `
> a@1.0.0 postinstall
> node -e "throw new Error(1+1)"

[eval]:1
throw new Error(1+1)
^

Error: 2
    at [eval]:1:7
npm error code 1
npm error path /source
npm error command failed
npm error command sh -c node -e "throw new Error(1+1)"`,
    'Error: 2',
  ],
  [
    'npm run, node',
    THROWN('> a@1.0.0 build\n> node build.js\n\nwarning: error handling is off'),
    "Error: Cannot find module 'zodd'",
  ],
  [
    'yarn 1, node',
    `${THROWN('yarn run v1.22.22\n$ node build.js')}\nerror Command failed with exit code 1.`,
    "Error: Cannot find module 'zodd'",
  ],
  [
    'pnpm run, node',
    `${THROWN('> a@1.0.0 build /source\n> node build.js')}\n ELIFECYCLE  Command failed with exit code 1.`,
    "Error: Cannot find module 'zodd'",
  ],
  [
    'yarn 1',
    `yarn install v1.22.22
info No lockfile found.
[1/4] Resolving packages...
error Couldn't find any versions for "zod" that matches "99.0.0"
info Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command.`,
    `error Couldn't find any versions for "zod" that matches "99.0.0"`,
  ],
  [
    'yarn 4',
    `➤ YN0000: · Yarn 4.5.0
➤ YN0000: ┌ Resolution step
➤ YN0082: │ zod@npm:99.0.0: No candidates found
➤ YN0000: └ Completed in 0s 942ms
➤ YN0000: · Failed with errors in 0s 999ms`,
    '➤ YN0082: │ zod@npm:99.0.0: No candidates found',
  ],
  [
    'pnpm 9',
    ` ERR_PNPM_NO_MATCHING_VERSION  No matching version found for zod@99.0.0

This error happened while installing a direct dependency of /source

The latest release of zod is "4.6.7".`,
    ' ERR_PNPM_NO_MATCHING_VERSION  No matching version found for zod@99.0.0',
  ],
  [
    'tsc',
    `a.ts(1,19): error TS2307: Cannot find module 'zod' or its corresponding type declarations.
a.ts(2,14): error TS2322: Type 'string' is not assignable to type 'number'.`,
    "a.ts(1,19): error TS2307: Cannot find module 'zod' or its corresponding type declarations.",
  ],
  [
    'a script after one that only spoke of errors',
    `> a@1.0.0 lint
> node lint.js

Error: 3 files have no licence, which is allowed
> a@1.0.0 compile
> tsc

a.ts(2,14): error TS2322: Type 'string' is not assignable to type 'number'.`,
    "a.ts(2,14): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  [
    'next, no such module',
    `▲ Next.js 16.4.6 (Turbopack)
  Creating an optimized production build ...

> Build error occurred
Error: Turbopack build failed with 1 error:
./app/page.tsx:1:1
Error: Module not found: Can't resolve 'zodd'`,
    "Error: Module not found: Can't resolve 'zodd'",
  ],
  [
    'next, types',
    `✓ Compiled successfully in 6.5s
  Running TypeScript ...
app/page.tsx(1,37): error TS2322: Type 'string' is not assignable to type 'number'.
Failed to type check.`,
    "app/page.tsx(1,37): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  [
    'pip, no such version',
    `ERROR: Could not find a version that satisfies the requirement requests==99.0 (from versions: 0.2.0)
ERROR: No matching distribution found for requests==99.0`,
    'ERROR: Could not find a version that satisfies the requirement requests==99.0 (from versions: 0.2.0)',
  ],
  ['pip, a package that is built', PIP_BUILD, '      RuntimeError: no compiler'],
  [
    'uv, no such version',
    `Using Python 3.11.7 environment at: v
error: No solution found when resolving dependencies
  cause: Because there is no version of requests==99.0 and you require requests==99.0, we can conclude that …`,
    '  cause: Because there is no version of requests==99.0 and you require requests==99.0, we can conclude that …',
  ],
  [
    'uv, a package that is built',
    `error: The build backend returned an error
  cause: Call to \`setuptools.build_meta:__legacy__.get_requires_for_build_wheel\` failed (exit status: 1)

         [stderr]
         Traceback (most recent call last):
           File "<string>", line 1, in <module>
         RuntimeError: no compiler`,
    '         RuntimeError: no compiler',
  ],
  [
    'make, a compiler',
    `cc -o x x.c
x.c: In function ‘main’:
x.c:1:20: error: ‘y’ undeclared (first use in this function)
    1 | int main(){ return y; }
make: *** [Makefile:3: all] Error 1`,
    'x.c:1:20: error: ‘y’ undeclared (first use in this function)',
  ],
  [
    'make, no rule',
    "make: *** No rule to make target 'gone.c', needed by 'all'.  Stop.",
    "make: *** No rule to make target 'gone.c', needed by 'all'.  Stop.",
  ],
  [
    'git',
    `Cloning into 'a'...
fatal: unable to access 'https://git.example.com/a.git/': Could not resolve host: git.example.com`,
    "fatal: unable to access 'https://git.example.com/a.git/': Could not resolve host: git.example.com",
  ],
])('%s', (_, output, reason) => {
  const found = new FailureReason()
  for (const line of output.split('\n')) found.read(line)
  expect(found.line).toBe(reason)
})

test('a line that only has a word for it counts where no other says why, and a command that said nothing has no reason', () => {
  const found = new FailureReason()
  for (const line of ['dd: error writing ‘/big’: No space left on device', 'dd: error again']) found.read(line)
  expect(found.line).toBe('dd: error writing ‘/big’: No space left on device')
  expect(new FailureReason().line).toBeUndefined()
})
