import { quote } from '../../sandbox/confinement'
import type { BuildStep } from '../build-plan'
import { packageEnvironment } from '../package-manager'

export type ImageRecipe = {
  /** The image of the agent server. */
  base: string
  repository: string
  commit: string
  /** With commands, and folders below the source's. */
  steps: readonly (Pick<BuildStep, 'what'> & { command: string; folder: string })[]
  /** All that the install command reads of the source; undefined if it may read anything. */
  manifests: readonly string[] | undefined
  /** The graph configuration, if its graphs have types to read. */
  typed: string | undefined
  /** Names of secrets that the commands get. */
  secrets: readonly string[]
  /** The folder of a package manager's copy below `tools`. */
  tool: string | undefined
}

const WORK_FOLDER = '/deployment'
const TOOLS_FOLDER = '/opt/pilothouse-tools'
const CACHE_FOLDER = '/tmp/pilothouse-packages'
/** The user of the base image, which owns the source. */
const OWNER = '1000:1000'

/**
 * The Dockerfile of a revision. Its context has the source in `source` and package managers in `tools`. Commands run as
 * they do in a pod, so that both ways give the same folder.
 */
export function dockerfileOf(recipe: ImageRecipe): string {
  const { base, steps, manifests, repository, commit, typed } = recipe
  const install = steps.find(({ what }) => what === 'install')
  const others = steps.filter((step) => step !== install)
  const isSeparate = install !== undefined && manifests !== undefined
  const copyAll = `COPY --chown=${OWNER} source/ ${WORK_FOLDER}/`
  const lines = [
    `FROM ${base}`,
    ...(steps.length ? variables() : []),
    // Packages are a layer of their own, which later commits with the same lock file share.
    ...(isSeparate
      ? [
          `COPY --chown=${OWNER} ${quoted([...manifests.map((file) => `source/${file}`), `${WORK_FOLDER}/`])}`,
          ...run(recipe, install),
          copyAll,
        ]
      : [copyAll, ...(install ? run(recipe, install) : [])]),
    ...others.flatMap((step) => run(recipe, step)),
    `WORKDIR ${WORK_FOLDER}`,
    // A base image of an earlier version cannot, and forms do without.
    ...(typed ? [`RUN node /app/.build/agent-server.mjs types ${quote(typed)} || true`] : []),
    `LABEL org.opencontainers.image.source=${JSON.stringify(escaped(repository))} org.opencontainers.image.revision=${JSON.stringify(commit)}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Arguments, unlike variables, are not part of the image. */
const variables = () =>
  Object.entries(packageEnvironment(CACHE_FOLDER)).map(([name, value]) => `ARG ${name}=${JSON.stringify(value)}`)

function run({ secrets, tool }: ImageRecipe, { command, folder }: ImageRecipe['steps'][number]): string[] {
  const mounts = [
    `type=cache,target=${CACHE_FOLDER},uid=1000,gid=1000`,
    ...(tool ? [`type=bind,source=tools,target=${TOOLS_FOLDER}`] : []),
    ...secrets.map((name) => `type=secret,id=${name},env=${name}`),
  ].map((mount) => `--mount=${mount}`)
  // Otherwise installs would leave out what only the build needs.
  const before = ['unset NODE_ENV', ...(tool ? [`export PATH="${TOOLS_FOLDER}/${tool}:$PATH"`] : [])]
  return [
    `WORKDIR ${escaped(folder ? `${WORK_FOLDER}/${folder}` : WORK_FOLDER)}`,
    `RUN ${mounts.join(' ')} ${[...before, command].join('; ')}`,
  ]
}

const quoted = (parts: readonly string[]) => JSON.stringify(parts)
/** Without the meaning that `$` and `\` have to a Dockerfile. */
const escaped = (text: string) => text.replace(/[\\$]/g, '\\$&')
