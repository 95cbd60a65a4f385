import { z } from 'zod'
import { SourceConfig, SourceRevisionConfig } from '@/lib/contracts/deployments/deployments'

/** What the program in an agent's container is told, as a file of the revision's Secret. */
export const ContainerSettings = z.object({
  deployment: z.object({ id: z.string(), name: z.string() }),
  revision: z.object({ id: z.string(), commit: z.string().nullable() }),
  /** The graph configuration file in the working folder, if it has not the usual name. */
  configPath: z.string().nullish(),
  /** What is built in the pod first; null: the image holds the graphs in its working folder. */
  source: z.object({ folder: z.string(), config: SourceConfig, revision: SourceRevisionConfig }).nullable(),
  /** The variables of the container that are the deployment's. */
  secretNames: z.array(z.string()),
  databaseUrl: z.string(),
  poolerUrl: z.string().optional(),
  /** The platform's settings of OpenTelemetry. */
  telemetry: z.record(z.string(), z.string()).optional(),
  /** Required in a header of every request. */
  secret: z.string().min(16),
  tracing: z.object({ endpoint: z.string(), apiKey: z.string() }).optional(),
  /** How long the container may take to finish its runs when it is stopped. */
  drainSeconds: z.number(),
})
export type ContainerSettings = z.output<typeof ContainerSettings>

/** What the program is told that prepares the build of a revision's image. */
export const ImageBuildSettings = z.object({
  /** The image to build on. */
  base: z.string(),
  config: SourceConfig,
  revision: SourceRevisionConfig,
  /** The variables of the container that are the deployment's. */
  secretNames: z.array(z.string()),
  /** Becomes the context of the build. */
  folder: z.string(),
  /** Gets the secrets that the commands need. */
  secretsFolder: z.string(),
})
export type ImageBuildSettings = z.output<typeof ImageBuildSettings>

/** How long a container that is stopped still takes requests, before it finishes its runs. */
export const SERVE_ON_SECONDS = 5
export const SETTINGS_FILE = 'revision.json'
/** Begins a line of the build that tells its commit. */
export const COMMIT_LINE = '@commit '
